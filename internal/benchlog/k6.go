package benchlog

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// k6Summary is the end-of-test summary of k6 as JSON: --summary-export has the values in the metric,
// handleSummary in a field of it (k6's documentation, "End of test").
type k6Summary struct {
	Metrics map[string]json.RawMessage `json:"metrics"`
}

func isK6(head string) bool {
	return strings.Contains(head, `"metrics"`) && strings.Contains(head, `"iterations"`) && strings.Contains(head, `"iteration_duration"`)
}

// readK6 gives iterations per second: xk6-sql has no metrics of its own, so what an iteration does
// is the script's. Its duration has the pauses of the script in it.
func readK6(_ string, in io.Reader) (Result, error) {
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	var s k6Summary
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Result{}, fmt.Errorf("read k6's summary: %w", err)
	}
	for _, other := range []string{"http_reqs", "grpc_req_duration", "ws_sessions", "browser_data_sent"} {
		if _, ok := s.Metrics[other]; ok {
			return Result{}, fmt.Errorf("%w: the test sent requests of another kind (%s)", ErrMeaning, other)
		}
	}
	done, duration, users := s.values("iterations"), s.values("iteration_duration"), s.values("vus_max")
	if !(done["count"] > 0) || !(done["rate"] > 0) || done["rate"] > maxNumber || done["count"] > maxNumber {
		return Result{}, fmt.Errorf("%w: k6's summary counts no iterations", ErrNoResult)
	}
	l := &record.Latency{Min: duration["min"], Mean: duration["avg"], Max: duration["max"], Percentiles: map[string]float64{}}
	for name, v := range duration {
		if p, ok := strings.CutPrefix(name, "p("); ok {
			l.Percentiles[strings.TrimSuffix(p, ")")] = v
		}
	}
	if v, ok := duration["med"]; ok {
		l.Percentiles["50"] = v
	}
	seconds := done["count"] / done["rate"]
	line := rate(done["rate"], done["rate"], seconds, l)
	line.Window.Counts.Transactions = int64(done["count"])
	if dropped := s.values("dropped_iterations")["count"]; dropped > 0 {
		return Result{}, fmt.Errorf("%w: k6 dropped %.0f iterations, so the test offered a rate (an arrival-rate executor) and had no virtual user left to send it", ErrMeaning, dropped)
	}
	return Result{Unit: Iterations, Threads: int(users["value"]), Lines: []record.Line{line}}, nil
}

// values are the numbers of a metric, in either place.
func (s k6Summary) values(metric string) map[string]float64 {
	var fields map[string]any
	if json.Unmarshal(s.Metrics[metric], &fields) != nil {
		return nil
	}
	if inner, ok := fields["values"].(map[string]any); ok {
		fields = inner
	}
	out := map[string]float64{}
	for name, v := range fields {
		if f, ok := v.(float64); ok {
			out[name] = f
		}
	}
	return out
}
