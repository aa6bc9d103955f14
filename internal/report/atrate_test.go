package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
)

// TestRateSentences: the rate is in every sentence about a latency at it, and an arm without one has a
// sentence that says why.
func TestRateSentences(t *testing.T) {
	tail := Tail{Percentile: "99", Mean: 9, Trials: 8, CostPercent: 30, CostInterval: &[2]Number{20, 40}, Rounds: 8, Verdict: "costs"}
	faster := tail
	faster.Percentile, faster.CostPercent, faster.CostInterval, faster.Verdict = "95", -30, &[2]Number{-40, -20}, "gains"
	doc := &Document{Run: RunInfo{LatencyRate: 4400, LatencyShare: 60}, Arms: []Arm{
		{Name: "pod", Threads: 8, AtRate: &Offered{Trials: 8}, Tails: []Tail{faster, tail}},
		{Name: "few", Threads: 8, AtRate: &Offered{Trials: 8}, Latency: &Latency{Percentiles: map[string]Number{"95": 3.26}}},
		{Name: "slow", Threads: 8, AtRate: &Offered{Trials: 8, Behind: 5, Why: &compare.Reason{
			Code: "rate-behind", Names: map[string][]string{"arm": {"slow"}},
			Numbers: map[string]float64{"rate": 4400, "n": 5, "of": 8, "unsent": 900, "due": 70_000},
		}}},
	}}
	c := Contrast{Arm: "pod", Threads: 8, Verdict: "costs", Interval: &[2]Number{-9, -7}}
	want := " At 4,400/s, its p95 latency is 30 % shorter (95 % interval 20 to 40); its p99 latency is 30 % longer (95 % interval 20 to 40)."
	if got := doc.tailSentence(&c); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	for i, part := range []string{"", "few completed too few transactions at 4,400/s", "slow cannot serve 4,400 transactions/s: in 5 of 8 trials"} {
		if got := doc.NoTail(&doc.Arms[i]); part == "" && got != "" || !strings.Contains(got, part) {
			t.Errorf("%s: %q", doc.Arms[i].Name, got)
		}
	}
	if p95 := doc.Percentile(&doc.Arms[1], "95"); p95.Known() {
		t.Errorf("an arm without a p95 in every trial has the p95 of all requests, %v", p95)
	}
	if got := doc.AtRate(); !strings.Contains(got, "4,400/s in every arm (60 %") {
		t.Errorf("%q", got)
	}
}
