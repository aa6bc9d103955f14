package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/live"
)

// TestWelchHolds: the interval of a difference of samples with unequal variances and sizes misses in 5 % of 4,000
// cases, within three standard errors.
func TestWelchHolds(t *testing.T) {
	const cases = 4000
	random, missed := rand.New(rand.NewPCG(1, 2)), 0
	sample := func(n int, mean, sd float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = mean + sd*random.NormFloat64()
		}
		return x
	}
	for range cases {
		if d := welch(sample(5, 3, 4), sample(12, 1, 1), 1); !d.contains(2) {
			missed++
		}
	}
	if share := float64(missed) / cases; math.Abs(share-0.05) > 3*math.Sqrt(0.05*0.95/cases) {
		t.Errorf("%.1f %% of the intervals miss", 100*share)
	}
	if one, three := welch([]float64{1, 2, 3}, []float64{2, 3, 5}, 1), welch([]float64{1, 2, 3}, []float64{2, 3, 5}, 3); three.lo >= one.lo || three.hi <= one.hi {
		t.Errorf("three that hold together: %v, one: %v", three, one)
	}
}

// contrast has a round for each log-ratio, of a baseline of 100/s.
func contrast(arm string, logs ...float64) report.Contrast {
	c := report.Contrast{Arm: arm}
	for i, l := range logs {
		c.Pairs = append(c.Pairs, report.Pair{Round: i + 1, Baseline: 100, Arm: report.Number(100 * math.Exp(l))})
	}
	return c
}

// around are four log-ratios with a mean and a spread.
func around(mean, spread float64) []float64 {
	return []float64{mean - spread, mean + spread, mean - spread/2, mean + spread/2}
}

func result(contrasts ...report.Contrast) *report.Document {
	from := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	to := from.Add(time.Minute)
	return &report.Document{Contrasts: contrasts, Run: report.RunInfo{Started: &from, Finished: &to, RoundsComplete: 4},
		Arms: []report.Arm{{Name: "bare", Baseline: true, ThroughputMean: 100, QueriesMean: 2000}, {Name: "other", ThroughputMean: 50, QueriesMean: 1000}}}
}

// directory writes documents as the scripts do.
func directory(t *testing.T, files map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	for name, v := range files {
		b, isText := v.(string)
		if !isText {
			j, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b = string(j)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestVerdicts: each says yes to what it is for and no to what it must not accept.
func TestVerdicts(t *testing.T) {
	interval := func(lo, hi report.Number) *[2]report.Number { return &[2]report.Number{lo, hi} }
	one := func(c report.Contrast, in *[2]report.Number) map[string]any {
		c.Interval = in
		return map[string]any{"r.json": result(c)}
	}
	doses := func(share float64) map[string]any {
		var all []report.Contrast
		for _, us := range []float64{10000, 40000} { // a transaction of 10 ms
			x := math.Log(0.01 / (0.01 + us/1e6))
			all = append(all, contrast(fmt.Sprintf("dose-%.0f", us), around(share*x, 0.001)...))
		}
		return map[string]any{"r.json": result(all...)}
	}
	lengths := func(half []float64) map[string]any {
		same := result(contrast("quota", around(-0.7, 0.01)...))
		return map[string]any{"lengths-200ms.json": same, "lengths-100ms.json": same, "lengths-500ms.json": result(contrast("quota", half...)), "lengths-1s.json": same}
	}
	protocols := func(windows, control []float64) map[string]any {
		return map[string]any{"cpu-slices-1.json": result(contrast("quota", around(-0.7, 0.01)...)), "cpu-windows-1.json": result(contrast("quota", windows...)),
			"cpu-no-lead-in.json": result(contrast("quota", control...))}
	}
	captured := func(logs []float64, queries report.Number) map[string]any {
		other := result(contrast("quota", logs...))
		other.Arms[0].QueriesMean, other.Arms[1].QueriesMean = 100*queries, 50*queries
		return map[string]any{"builtin-1.json": result(contrast("quota", around(-0.7, 0.02)...)), "captured-1.json": other}
	}
	spans := func(well ...live.Cause) map[string]any {
		return map[string]any{"loss.want": "loss C-NET-04\n", "loss.json": live.Report{Causes: []live.Cause{{Rule: "C-NET-04", State: "present"}, {Rule: ofMachine, State: "present"}}},
			"well-1.json": live.Report{Causes: well}}
	}
	for name, c := range map[string]struct {
		verdict string
		files   map[string]any
		shown   bool
		says    string
	}{
		"equal arms":              {"alarm", one(contrast("same", 0, 0), interval(-1, 2)), true, "contains 0"},
		"equal arms told apart":   {"alarm", one(contrast("same", 0, 0), interval(1, 2)), false, "ALARM"},
		"no interval":             {"alarm", one(contrast("same"), nil), false, "no interval"},
		"doses":                   {"dose", doses(1), true, "slope 1.0000"},
		"doses by nine tenths":    {"dose", doses(0.9), false, "slope 0.9000"},
		"lengths agree":           {"lengths", lengths(around(-0.71, 0.01)), true, "agrees within 10 %"},
		"lengths disagree":        {"lengths", lengths(around(-0.5, 0.01)), false, "DISAGREES"},
		"lengths, too few":        {"lengths", lengths(around(-0.7, 0.3)), false, "NOT SHOWN TO AGREE"},
		"protocols agree":         {"protocols", protocols(around(-0.7, 0.03), around(-0.2, 0.01)), true, "machine time"},
		"protocols disagree":      {"protocols", protocols(around(-0.4, 0.03), around(-0.2, 0.01)), false, "NOT SHOWN TO AGREE"},
		"no lead-in is no matter": {"protocols", protocols(around(-0.7, 0.03), around(-0.7, 0.01)), false, "more than 10 expected"},
		"captured":                {"captured", captured(around(-0.72, 0.02), 20), true, "the intervals overlap"},
		"captured costs less":     {"captured", captured(around(-0.4, 0.02), 20), false, "do NOT overlap"},
		"captured other work":     {"captured", captured(around(-0.7, 0.02), 10), false, "INVALID"},
		"captured without a cost": {"captured", captured(around(0, 0.1), 20), false, "contains 0"},
		"fault named":             {"live", spans(live.Cause{Rule: "C-IO-01", State: "ruled-out"}), true, "| loss | C-NET-04 | yes |"},
		"healthy server named":    {"live", spans(live.Cause{Rule: "C-IO-01", State: "present"}), false, "1 causes named falsely"},
	} {
		dir := directory(t, c.files)
		arg := dir
		if _, isOne := c.files["r.json"]; isOne {
			arg = filepath.Join(dir, "r.json")
		}
		var out strings.Builder
		shown, err := verdicts()[c.verdict](&out, []string{arg})
		if err != nil || shown != c.shown || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: shown %v, %v\n%s", name, shown, err, &out)
		}
	}
}

// TestFactors: a quota of a quarter of a CPU for a server that used half of one takes half of its throughput.
func TestFactors(t *testing.T) {
	layer := func(name string, points report.Number) report.LayerPart {
		return report.LayerPart{Layer: name, Part: report.Part{Points: points, Interval: [2]report.Number{points - 2, points + 2}}}
	}
	for points, want := range map[report.Number]bool{-50: true, -30: false} {
		doc := result(contrast("other"))
		doc.Attributions = []report.Attribution{{Layers: []report.LayerPart{layer("quota", points), layer("dummy", 1)}}}
		doc.Explained = []report.Explained{{Arm: "bare", Budget: []report.Spent{{Name: "on a CPU", Milliseconds: 5}}}}
		if shown, err := factors(io.Discard, doc); err != nil || shown != want {
			t.Errorf("%g points: shown %v, %v", float64(points), shown, err)
		}
	}
}

// TestCapacityOfAQueue: with one server and a limit that no queue exceeds, the capacity is what the server can do; a
// tight limit lowers it.
func TestCapacityOfAQueue(t *testing.T) {
	wide, tight := queue{service: 0.01, servers: 4, limit: 10, length: 2}.capacity(), queue{service: 0.01, servers: 4, limit: 0.015, length: 2}.capacity()
	if math.Abs(wide-400) > 4 || !(tight < 380) || !(tight > 200) {
		t.Errorf("%.1f/s without a limit, %.1f/s within 15 ms", wide, tight)
	}
}

// TestUnreadable: what cannot be read is an error, not a verdict.
func TestUnreadable(t *testing.T) {
	dir := directory(t, map[string]any{"bad.json": "{"})
	for verdict, arg := range map[string]string{"alarm": "bad.json", "dose": "none.json", "lengths": ".", "equal-trials": "none"} {
		if shown, err := verdicts()[verdict](io.Discard, []string{filepath.Join(dir, arg)}); err == nil || shown {
			t.Errorf("%s: %v, %v", verdict, shown, err)
		}
	}
}

// TestEqualTrials: a record's trials in the order of their beginning, each with its seconds.
func TestEqualTrials(t *testing.T) {
	var out strings.Builder
	if _, err := equalTrials(&out, []string{"../../cmd/tare/testdata/records/stream-4-plan-2"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[0], "# Equal trials of a real MySQL ") || strings.Contains(lines[0], "unknown") || lines[2] != "campaign,trial,round,arm,started,tps,seconds" {
		t.Fatal(out.String())
	}
	for _, line := range lines[3:] {
		if fields := strings.Split(line, ","); len(fields) != 7 || fields[5] == "" {
			t.Error(line)
		}
	}
}
