package compare

import (
	"math"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestTailsOfAllTrialsOrNone: a trial of few transactions has no p99. The mean over the others
// would be that of the fastest trials, so the arm has none; all have a p95.
func TestTailsOfAllTrialsOrNone(t *testing.T) {
	trial := func(round int, requests int64) *record.Trial {
		slow := requests / 50
		return &record.Trial{Header: record.Header{Round: round}, Window: &record.Window{Counts: record.Counts{Transactions: requests}, Latency: &record.Latency{
			Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{{5e6, requests - slow}, {50e6, slow}}},
		}}}
	}
	if all := tails(ofWindows(trial(1, 1200), trial(2, 1000), trial(3, 5000)), stopping{}); len(all) != 2 || all[1].Percentile != "99" || all[1].Trials != 3 {
		t.Errorf("%+v", all)
	}
	if all := tails(ofWindows(trial(1, 1200), trial(2, 999), trial(3, 5000)), stopping{}); len(all) != 1 || all[0].Percentile != "95" || all[0].Trials != 3 {
		t.Errorf("a trial of 999 transactions: %+v", all)
	}
	if all := tails(ofWindows(trial(1, 1200), &record.Trial{Header: record.Header{Round: 2}, Window: &record.Window{}}), stopping{}); len(all) != 0 {
		t.Errorf("a trial without latencies: %+v", all)
	}
}

// TestTailsApart: trials of which one is a hundred times as slow have a range and no interval, and say why.
func TestTailsApart(t *testing.T) {
	trial := func(round int, ms int64) *record.Trial {
		return &record.Trial{Header: record.Header{Round: round}, Window: &record.Window{Counts: record.Counts{Transactions: 1000}, Latency: &record.Latency{
			Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{{ms * 1e6, 1000}}},
		}}}
	}
	for want, all := range map[string][]Tail{
		Apart: tails(ofWindows(trial(1, 4), trial(2, 5), trial(3, 700)), stopping{}),
		Few:   tails(ofWindows(trial(1, 4)), stopping{}),
		"":    tails(ofWindows(trial(1, 4), trial(2, 5), trial(3, 4)), stopping{}),
	} {
		p99 := all[1]
		if p99.NoInterval != want || (p99.Interval == nil) != (want != "") {
			t.Errorf("want %q: %+v", want, p99)
		}
		near(t, "lowest", p99.Lowest, 4, 1e-9)
		near(t, "highest", p99.Highest, map[string]float64{Apart: 700, Few: 4, "": 5}[want], 1e-9)
	}
}

// TestTailsWithoutACommonRound: rounds of which each has one of the two are too few; the baseline has the percentile.
func TestTailsWithoutACommonRound(t *testing.T) {
	arm := Arm{Tails: []Tail{{Percentile: "95", byRound: byRounds{1: 1}}, {Percentile: "99", byRound: byRounds{1: 1}}}}
	comparison{run: &record.Run{}, res: &Result{Margin: 0.01}}.tailsAgainst(&Arm{Tails: []Tail{{Percentile: "95", byRound: byRounds{2: 1}}}}, &arm)
	if arm.Tails[0].NoChange != Few || arm.Tails[1].NoChange != NoBaseline {
		t.Errorf("%+v", arm.Tails)
	}
}

// TestTailsOfRoundsThatDepend: a p95 that becomes longer from round to round, of an arm whose throughput does not
// change, has an interval as much wider as throughput would have; the same changes in another order do not.
func TestTailsOfRoundsThatDepend(t *testing.T) {
	widths := map[string]float64{}
	for name, x := range map[string][]float64{"in order": {0, .02, .04, .06, .08, .10, .12, .14}, "in no order": {.06, .12, 0, .08, .02, .14, .04, .10}} {
		r := wandering(t, make([]float64, len(x)))
		for _, trial := range r.Trials {
			ms := 8.0
			if trial.Header.Arm == "pod" {
				ms *= math.Exp(0.2 + x[trial.Header.Round-1])
			}
			trial.Window.Latency = &record.Latency{Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{{int64(1e6 * ms), trial.Window.Counts.Transactions}}}}
		}
		res := Run(r)
		for i := range res.Arms {
			if a := &res.Arms[i]; a.Name == "pod" {
				widths[name] = math.Log1p(a.Tails[0].CostInterval.Hi/100) - math.Log1p(a.Tails[0].CostInterval.Lo/100)
			}
		}
	}
	if ratio := widths["in order"] / widths["in no order"]; !(ratio > 2) {
		t.Errorf("the interval of rounds that depend on each other is %g times as wide", ratio)
	}
}

// ofWindows are the windows of trials without a fixed rate.
func ofWindows(trials ...*record.Trial) (all []timedWindow) {
	for _, t := range trials {
		all = append(all, timedWindow{t, t.Window.Latency, t.Window.Counts.Transactions})
	}
	return all
}
