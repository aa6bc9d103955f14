package benchlog

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// benchBaseSummary is BenchBase's summary.json (ResultWriter.writeSummary of its sources).
type benchBaseSummary struct {
	DBMS        string             `json:"DBMS Type"`
	Type        string             `json:"Benchmark Type"`
	Nanoseconds float64            `json:"Elapsed Time (nanoseconds)"`
	Measured    float64            `json:"Measured Requests"`
	Terminals   json.RawMessage    `json:"terminals"`
	Scale       json.RawMessage    `json:"scalefactor"`
	Isolation   string             `json:"isolation"`
	Latency     map[string]float64 `json:"Latency Distribution"`
	Throughput  *float64           `json:"Throughput (requests/second)"`
	Goodput     *float64           `json:"Goodput (requests/second)"`
}

// Columns of results.csv.
const (
	benchBaseTime       = "Time (seconds)"
	benchBaseThroughput = "Throughput (requests/second)"
	benchBase95         = "95th Percentile Latency (millisecond)"
)

// isBenchBase also recognises a summary that ends before its throughput: the key of the elapsed time is in its second
// line.
func isBenchBase(head string) bool {
	return strings.Contains(head, `"Throughput (requests/second)"`) || strings.Contains(head, `"Elapsed Time (nanoseconds)"`) || strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(head, "\ufeff")), benchBaseTime+","+benchBaseThroughput)
}

// benchBaseOfKind is the name of the file that BenchBase writes for one kind of transaction.
var benchBaseOfKind = regexp.MustCompile(`\.results\.(\w+)\.csv`)

func readBenchBase(name string, in io.Reader) (Result, error) {
	if m := benchBaseOfKind.FindStringSubmatch(name); m != nil {
		return Result{}, fmt.Errorf("%w: BenchBase's file of %s has one kind of transaction; use summary.json or the file that ends in .results.csv", ErrMeaning, m[1])
	}
	text, err := readText(in)
	if err != nil {
		return Result{}, err
	}
	if text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); strings.HasPrefix(text, "{") {
		return readBenchBaseSummary(text)
	}
	return readBenchBaseCSV(text)
}

// readBenchBaseSummary gives the goodput, the transactions that were committed; without it (older
// releases) the requests. The latencies are those of all requests.
func readBenchBaseSummary(text string) (Result, error) {
	var s benchBaseSummary
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		if cutOff(text, err) {
			return Result{}, fmt.Errorf("%w: BenchBase's summary is cut off", ErrNoResult)
		}
		return Result{}, fmt.Errorf("read BenchBase's summary: %w", err)
	}
	if d := strings.ToUpper(s.DBMS); d != "" && d != "MYSQL" && d != "MARIADB" {
		return Result{}, fmt.Errorf("%w: the test loaded %s", ErrMeaning, s.DBMS)
	}
	r, perSecond := Result{Unit: Transactions}, s.Goodput
	if perSecond == nil {
		r.Unit, perSecond = Requests, s.Throughput
	}
	if perSecond == nil || !(*perSecond > 0 && *perSecond < maxNumber) {
		return Result{}, fmt.Errorf("%w: BenchBase's summary has no throughput", ErrNoResult)
	}
	if n, err := strconv.Atoi(strings.Trim(string(s.Terminals), `" `)); err == nil && n > 0 {
		r.Threads = n
	}
	seconds := s.Nanoseconds / 1e9
	line := rate(*perSecond, *perSecond, seconds, benchBaseLatency(s.Latency))
	if s.Goodput != nil && s.Throughput != nil && s.Measured > 0 {
		line.Window.Counts.Errors = max(0, int64(s.Measured-*s.Goodput*seconds+0.5))
	}
	if s.Type != "" {
		r.Lines = append(r.Lines, test("BenchBase", s.test()))
	}
	r.Lines = append(r.Lines, line)
	return r, nil
}

// cutOff says whether JSON could not be read because it ends too early.
func cutOff(text string, err error) bool {
	at := new(json.SyntaxError)
	return errors.As(err, &at) && at.Offset >= int64(len(text))
}

// test is what the summary says of the test: benchmark, scale factor and isolation level.
func (s benchBaseSummary) test() string {
	said := s.Type
	if scale := strings.Trim(string(s.Scale), `" `); scale != "" && scale != "null" {
		said += ", scale factor " + scale
	}
	if s.Isolation != "" {
		said += ", " + s.Isolation
	}
	return said
}

func benchBaseLatency(us map[string]float64) *record.Latency {
	if len(us) == 0 {
		return nil
	}
	ms := func(name string) float64 { return us[name+" Latency (microseconds)"] / 1000 }
	l := &record.Latency{Min: ms("Minimum"), Mean: ms("Average"), Max: ms("Maximum"), Percentiles: map[string]float64{}}
	for p, name := range map[string]string{"50": "Median", "90": "90th Percentile", "95": "95th Percentile", "99": "99th Percentile"} {
		if v := ms(name); v > 0 {
			l.Percentiles[p] = v
		}
	}
	return l
}

// readBenchBaseCSV gives the requests of each interval, also those that were rolled back. The time is
// the interval's beginning. The last interval is left out: it ends where the test did, and its rate
// is over its nominal length.
func readBenchBaseCSV(text string) (Result, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return Result{}, fmt.Errorf("read BenchBase's results.csv: %w", err)
	}
	head := rows[0]
	timeColumn, rateColumn, tail := slices.Index(head, benchBaseTime), slices.Index(head, benchBaseThroughput), slices.Index(head, benchBase95)
	if rows = rows[1:]; len(rows) < 2 {
		return Result{}, fmt.Errorf("%w: BenchBase's results.csv has fewer than two intervals", ErrNoResult)
	}
	r := Result{Unit: Requests}
	var seconds, done float64
	for i, row := range rows[:len(rows)-1] {
		v, err := numbers(row[timeColumn], rows[i+1][timeColumn], row[rateColumn])
		if err != nil {
			return Result{}, fmt.Errorf("line %d: %w", i+2, err)
		}
		interval := record.Interval{End: v[1], Length: v[1] - v[0], Transactions: v[2]}
		if interval.Length <= 0 {
			return Result{}, fmt.Errorf("line %d: %w", i+3, ErrSeveral)
		}
		if tail >= 0 {
			if interval.Latency, err = number(row[tail]); err != nil {
				return Result{}, fmt.Errorf("line %d: %w", i+2, err)
			}
			interval.Percentile = 95
		}
		seconds, done = seconds+interval.Length, done+interval.Length*interval.Transactions
		r.Lines = append(r.Lines, record.Line{Interval: &interval})
	}
	r.Lines = append(r.Lines, rate(done/seconds, done/seconds, seconds, nil))
	return r, nil
}
