package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
)

// TestLatencyAtRate: a percentile without an interval has the range of its trials, one without a change has the reason,
// and an arm of which the section says that it has no percentile has none beside its throughput.
func TestLatencyAtRate(t *testing.T) {
	in := &[2]report.Number{4, 5}
	base := report.Tail{Percentile: "95", Mean: 4.4, Interval: in, Lowest: 4.1, Highest: 5, Trials: 6}
	apart := report.Tail{Percentile: "95", Mean: 22.8, Lowest: 4.1, Highest: 700.4, Trials: 6, Rounds: 6, CostPercent: 400, NoInterval: compare.Apart, NoChange: compare.Apart}
	few := apart
	few.Trials, few.Rounds, few.NoInterval, few.NoChange = 1, 1, compare.Few, compare.Few
	lone := base
	lone.NoChange = compare.NoBaseline
	all := &report.Latency{Percentiles: map[string]report.Number{"95": 3.26, "99": 700.4}}
	held := &report.Offered{Trials: 6, Why: &compare.Reason{Code: "rate-client", Names: map[string][]string{"arm": {"pod"}}, Numbers: map[string]float64{"rate": 100, "n": 3, "of": 6}}}
	for _, c := range []struct {
		name       string
		base, pod  []report.Tail
		offered    *report.Offered
		want, lack string
	}{
		{"one slow trial", []report.Tail{base}, []report.Tail{apart}, &report.Offered{Trials: 6},
			"p95 22.8 ms (trials 4.10 to 700), change not determined: the rounds differ too much", "too few rounds"},
		{"the baseline has none", nil, []report.Tail{lone}, &report.Offered{Trials: 6}, "p95 4.40 [4.00, 5.00] ms, no change: bare has no p95 in every trial", "too few rounds"},
		{"one round", []report.Tail{few}, []report.Tail{few}, &report.Offered{Trials: 1}, "latency at 100/s (no intervals: too few rounds)", "not determined"},
		{"too few transactions", []report.Tail{base}, nil, &report.Offered{Trials: 6}, "pod completed too few transactions at 100/s", "3.26"},
		{"too few transactions in both", nil, nil, &report.Offered{Trials: 6}, "bare completed too few transactions at 100/s", "3.26"},
		{"the generator", nil, nil, held, "load generator", "too few rounds"},
	} {
		doc := &report.Document{Run: report.RunInfo{LatencyRate: 100}, Arms: []report.Arm{
			{Name: "bare", Baseline: true, Threads: 1, Trials: 6, Outcomes: map[string]int{"measured": 6}, ThroughputMean: 900, AtRate: &report.Offered{Trials: 6}, Tails: c.base, Latency: all},
			{Name: "pod", Threads: 1, Trials: 6, Outcomes: map[string]int{"measured": 6}, ThroughputMean: 800, AtRate: c.offered, Tails: c.pod, Latency: all},
		}}
		var b bytes.Buffer
		s := newScreen(Options{Width: 160})
		textArms(s, doc)
		textLatency(s, doc)
		if err := s.write(&b, "report"); err != nil {
			t.Fatal(err)
		}
		if out := b.String(); !strings.Contains(out, c.want) || strings.Contains(out, c.lack) {
			t.Errorf("%s: want %q and not %q in\n%s", c.name, c.want, c.lack, out)
		}
	}
}
