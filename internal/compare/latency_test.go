package compare

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

func withHistogram(counts ...[2]int64) *record.Trial {
	var n int64
	for _, c := range counts {
		n += c[1]
	}
	return &record.Trial{End: &record.End{Outcome: record.Measured}, Window: &record.Window{
		Seconds: 1, Counts: record.Counts{Transactions: n},
		Latency: &record.Latency{Mean: float64(counts[0][0]) / 1e6, Max: 9, Histogram: &record.Histogram{Scheme: "s", Counts: counts}},
	}}
}

// Percentiles are those of the union: 300 fast and 100 slow requests have their
// 95th among the slow, where the mean of the two trials' would lie between.
func TestLatencyIsOfTheUnion(t *testing.T) {
	l := latency([]*record.Trial{withHistogram([2]int64{1e6, 300}), withHistogram([2]int64{8e6, 100})})
	if l.Percentiles["50"] != 1 || l.Percentiles["95"] != 8 || l.Max != 9 {
		t.Errorf("got %+v", l)
	}
	if l.Mean != 2.75 {
		t.Errorf("mean %v, want 2.75, weighted by requests", l.Mean)
	}
	if !math.IsNaN(l.Percentiles["99"]) {
		t.Errorf("p99 of 400 requests is %v; four requests are nobody's percentile", l.Percentiles["99"])
	}
}

// TestPartsAreMerged: each statement by its own histogram, in the order of the
// transaction; one that a trial never sent counts where it was.
func TestPartsAreMerged(t *testing.T) {
	part := func(name string, counts ...[2]int64) record.Timed {
		return record.Timed{Name: name, Latency: *withHistogram(counts...).Window.Latency}
	}
	a, b := withHistogram([2]int64{1e6, 300}), withHistogram([2]int64{1e6, 300})
	a.Window.Statements = []record.Timed{part("select", [2]int64{1e6, 300}), part("commit", [2]int64{2e6, 100})}
	b.Window.Statements = []record.Timed{part("select", [2]int64{8e6, 100})}
	got := timed([]*record.Trial{a, b, {}}, func(w *record.Window) []record.Timed { return w.Statements })
	if len(got) != 2 || got[0].Name != "select" || got[1].Name != "commit" {
		t.Fatalf("got %+v", got)
	}
	if s, c := got[0].Latency, got[1].Latency; s.Mean != 2.75 || s.Percentiles["95"] != 8 || c.Mean != 2 || c.Percentiles["50"] != 2 {
		t.Errorf("select %+v, commit %+v", s, c)
	}
}

// TestOfferedIsSummed over the trials that count.
func TestOfferedIsSummed(t *testing.T) {
	if o := (&Arm{Trials: []*record.Trial{withHistogram([2]int64{1e6, 1})}}).offered(0); o != nil {
		t.Errorf("a closed loop: %+v", o)
	}
	a, b, cut := withHistogram([2]int64{1e6, 1}), withHistogram([2]int64{1e6, 1}), &record.Trial{Incomplete: "cut off"}
	for i, trial := range []*record.Trial{a, b, cut} {
		trial.Facts = []record.Fact{{Key: keys.LoadArrivalsDue, Value: "100"}, {Key: keys.LoadArrivalsUnsent, Value: []string{"0", "7", "90"}[i]}}
	}
	if o := (&Arm{Trials: []*record.Trial{a, b, cut}}).offered(0); o == nil || *o != (Offered{Trials: 2, Due: 200, Unsent: 7}) {
		t.Errorf("got %+v", o)
	}
}

func TestLatencyOfDifferentSchemes(t *testing.T) {
	a, b := withHistogram([2]int64{1e6, 300}), withHistogram([2]int64{8e6, 100})
	b.Window.Latency.Histogram.Scheme = "other"
	if l := latency([]*record.Trial{a, b}); l.Histogram != nil || !math.IsNaN(l.Percentiles["50"]) {
		t.Errorf("merged what cannot be merged: %+v", l)
	}
}

func TestStatesNeedHalfTheTrials(t *testing.T) {
	two := []float64{10, 20, 10, 20, 10, 20, 10, 20}
	one := []float64{10, 11, 10, 12, 10, 11, 12, 11}
	r := imported([]string{"x"}, map[string][][]float64{"x": {two, one}})
	if s := states(r.Trials, stats.NewTwoStatesTest(statesSeed)); len(s) != 2 || s[0].Level != 10 || s[1].Level != 20 || s[1].Share != 0.25 {
		t.Errorf("one of two trials jumps: %v", s)
	}
	r = imported([]string{"x"}, map[string][][]float64{"x": {two, one, one}})
	if s := states(r.Trials, stats.NewTwoStatesTest(statesSeed)); s != nil {
		t.Errorf("one of three trials jumps: %v", s)
	}
}

// The warm-up is in no number: not in the slowest second, not in the levels. The
// window's own rate is without it (loadgen).
func TestWarmupCountsForNothing(t *testing.T) {
	r := imported([]string{"x"}, map[string][][]float64{"x": {{1, 1, 1, 1, 20, 20, 20, 20}}})
	for i := range 4 {
		r.Trials[0].Intervals[i].Warmup = true
	}
	r.Trials[0].Window.Rate = 20
	arm := Run(r).Arms[0]
	if arm.Min != 20 || arm.Mean != 20 || arm.States != nil {
		t.Errorf("slowest %v, mean %v, levels %v", arm.Min, arm.Mean, arm.States)
	}
}

// TestExtremesAreOfEveryTrial: a trial without a second of its own leaves the arm without a slowest and a
// fastest one, because the other trials' seconds need not contain its rate.
func TestExtremesAreOfEveryTrial(t *testing.T) {
	tps := func(_ string, round int) float64 { return 100 * float64(round) }
	run := fill(planned(t, spec(3, "1%", "bare: {target: process}", "pod: {target: container}")), tps)
	if a := Run(run).Arms[0]; a.Min != 100 || a.Max != 300 {
		t.Errorf("%v to %v", a.Min, a.Max)
	}
	for _, trial := range run.Trials {
		if trial.Header.Arm == "bare" && trial.Header.Round == 2 {
			trial.Intervals = trial.Intervals[:1] // the warm-up
		}
	}
	if a := Run(run).Arms[0]; !math.IsNaN(a.Min) || !math.IsNaN(a.Max) {
		t.Errorf("%v to %v", a.Min, a.Max)
	}
}

// TestLatencyNotPrinted: a mean or a maximum that the program of one trial did not print is unknown, not 0 ms.
func TestLatencyNotPrinted(t *testing.T) {
	trial := func(n int64, mean, most float64) *record.Trial {
		return &record.Trial{
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 10, Rate: 40, Partial: true, Counts: record.Counts{Transactions: n}, Latency: &record.Latency{Mean: mean, Max: most}},
		}
	}
	for name, c := range map[string]struct {
		trials    []*record.Trial
		mean, max float64
	}{
		"both printed":           {[]*record.Trial{trial(100, 2, 9), trial(300, 4, 8)}, 3.5, 9},
		"no maximum":             {[]*record.Trial{trial(100, 2, 0)}, 2, math.NaN()},
		"no mean":                {[]*record.Trial{trial(100, 0, 9)}, math.NaN(), 9},
		"neither":                {[]*record.Trial{trial(100, 0, 0)}, math.NaN(), math.NaN()},
		"one trial without both": {[]*record.Trial{trial(100, 2, 9), trial(300, 0, 0)}, math.NaN(), math.NaN()},
		"a rate without a time":  {[]*record.Trial{trial(0, 0, 0)}, math.NaN(), math.NaN()},
	} {
		l := latency(c.trials)
		if l == nil || !same(l.Mean, c.mean) || !same(l.Max, c.max) {
			t.Errorf("%s: %+v, want %v and %v", name, l, c.mean, c.max)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
