package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// atRate is a run of two arms of equal throughput, whose p95 and p99 at 500/s are of each arm's median.
func atRate(t *testing.T, rounds int, ms map[string]float64) *record.Run {
	t.Helper()
	r := planned(t, strings.Replace(spec(rounds, "1%", "bare: {target: process}", "pod: {target: container}"), "threads: 4", "threads: 4, latency: {rate: 50%}", 1))
	fill(r, func(string, int) float64 { return 1000 })
	var err error
	if r.Plan, err = r.Plan.FixRate(500); err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.Trials {
		// The closed loop's latencies say the contrary.
		trial.Window.Latency = &record.Latency{Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{{int64(1e9 / ms[trial.Header.Arm]), 5000}}}}
		trial.AtRate = &record.AtRate{Rate: 500, Outcome: record.Measured, Seconds: 3, Counts: record.Counts{Transactions: 1500}, Due: 1500,
			Latency: &record.Latency{Histogram: &record.Histogram{Scheme: "s", Counts: [][2]int64{
				{int64(ms[trial.Header.Arm] * 1e6 * (1 + 0.001*float64(trial.Header.Round%3))), 1450}, {int64(ms[trial.Header.Arm] * 3e6), 50},
			}}}}
	}
	return r
}

func pod(res *Result) *Arm {
	i := slices.IndexFunc(res.Arms, func(a Arm) bool { return a.Name == "pod" })
	return &res.Arms[i]
}

// TestTailsAreThoseOfTheFixedRate: p95 and p99 of a run with a fixed rate are those at the rate, whatever
// the closed loop's are, and throughput is that of the closed loop.
func TestTailsAreThoseOfTheFixedRate(t *testing.T) {
	res := Run(atRate(t, 8, map[string]float64{"bare": 2, "pod": 3}))
	p95 := pod(res).Tails[0]
	if p95.Verdict != Costs || math.Abs(p95.Cost-50) > 0.5 || p95.Family != 2 || p95.Rounds != 8 {
		t.Errorf("%+v", p95)
	}
	if c := only(t, res); c.Verdict != Equivalent || math.Abs(c.Effect) > 1e-9 || res.LatencyRate != 500 {
		t.Errorf("throughput %+v at %g", c, res.LatencyRate)
	}
	if at := pod(res).AtRate; at.Why != nil || at.Trials != 8 || at.Due != 8*1500 || at.Latency == nil {
		t.Errorf("%+v", at)
	}
}

// TestNoTailWithoutTheRate: an arm that cannot serve the rate, whose server is lost at it, or whose
// generator could not keep up has no p95 and no p99, neither by the closed loop's; the baseline has. The run
// says why.
func TestNoTailWithoutTheRate(t *testing.T) {
	for code, spoil := range map[string]func(*record.Trial){
		"rate-behind": func(t *record.Trial) { t.AtRate.Unsent = 60 },
		"rate-lost": func(t *record.Trial) {
			if t.Header.Round == 3 {
				t.AtRate = &record.AtRate{Rate: 500, Outcome: record.ServerLost, Reason: "the server hung"}
			}
		},
		"rate-client": func(t *record.Trial) { t.AtRate.Lateness = 2.5 }, // more than a quarter of p99, 9 ms
	} {
		res := Run(each(atRate(t, 8, map[string]float64{"bare": 2, "pod": 3}), "pod", spoil))
		at := pod(res).AtRate
		if at.Why == nil || at.Why.Code != code || len(pod(res).Tails) != 0 || len(res.Arms[0].Tails) != 2 {
			t.Errorf("%s: %+v, tails %v", code, at, pod(res).Tails)
			continue
		}
		if !slices.ContainsFunc(res.Warnings, func(r Reason) bool { return r.Code == code }) {
			t.Errorf("%s: no warning: %v", code, res.Warnings)
		}
		if c := only(t, res); c.Verdict != Equivalent {
			t.Errorf("%s: throughput has no verdict: %v", code, c.Reasons)
		}
	}
}

// TestBacklogOfSomeTrials: a backlog in fewer than half of the trials is said, and the verdict stands. A
// queue that is there at the end without having grown is none.
func TestBacklogOfSomeTrials(t *testing.T) {
	of := func(unsent int64, rounds int) *Result {
		return Run(each(atRate(t, 8, map[string]float64{"bare": 2, "pod": 3}), "pod", func(t *record.Trial) {
			if t.Header.Round <= rounds {
				t.AtRate.Unsent = unsent
			}
		}))
	}
	said := func(res *Result) bool {
		return slices.ContainsFunc(res.Warnings, func(r Reason) bool { return r.Code == "rate-waiting" })
	}
	if res := of(60, 2); len(pod(res).Tails) != 2 || !said(res) {
		t.Errorf("2 of 8 trials: %+v, %v", pod(res).AtRate, res.Warnings)
	}
	if res := of(40, 8); len(pod(res).Tails) != 2 || said(res) {
		t.Errorf("a queue of 80 ms: %+v, %v", pod(res).AtRate, res.Warnings)
	}
}

// TestRateFromTheSecondRoundOn: by windows, the first round of a run whose rate is a share has no window
// at it; the others have their tails.
func TestRateFromTheSecondRoundOn(t *testing.T) {
	r := atRate(t, 8, map[string]float64{"bare": 2, "pod": 3})
	for _, trial := range r.Trials {
		if trial.Header.Round == 1 {
			trial.AtRate = nil
		}
	}
	if p95 := pod(Run(r)).Tails[0]; p95.Rounds != 7 || p95.Trials != 7 || p95.Verdict != Costs {
		t.Errorf("%+v", p95)
	}
}

// TestTailFamilyAtTheRate: levels of the load below the highest have no latency at the rate.
func TestTailFamilyAtTheRate(t *testing.T) {
	yaml := strings.Replace(spec(2, "1%", "bare: {target: process}", "pod: {target: container}", "other: {target: container}"), "threads: 4", "threads: [4, 8], latency: {rate: 50%}", 1)
	r := fill(planned(t, yaml), func(string, int) float64 { return 1000 })
	j := comparison{run: r, res: outline(r)}
	if n := j.tailFamily(); n != 4 {
		t.Errorf("%d costs of a percentile, want 4", n)
	}
	if !r.Experiment.AtRate(experiment.Trial{Arm: "other", Threads: 8}) {
		t.Error("an arm is not measured at the rate")
	}
}
