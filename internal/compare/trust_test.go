package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// windowed is a run of 8 rounds whose windows have 40 seconds of noise about what
// level gives.
func windowed(t *testing.T, seed uint64, level func(arm string, round, second int) float64) *record.Run {
	t.Helper()
	r := planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}"))
	rng := rand.New(rand.NewPCG(seed, 8))
	for _, p := range r.Plan.Trials {
		trial := trialOf(p, 0)
		trial.Intervals = nil
		var sum float64
		restart := math.Exp(0.005 * rng.NormFloat64())
		for s := range 40 {
			v := level(p.Arm, p.Round, s) * restart * math.Exp(0.02*rng.NormFloat64())
			sum += v
			trial.Intervals = append(trial.Intervals, record.Interval{End: float64(s + 1), Length: 1, Transactions: v})
		}
		trial.Window = &record.Window{Seconds: 40e6, Counts: record.Counts{Transactions: int64(sum * 1e6)}}
		r.Trials = append(r.Trials, trial)
	}
	return r
}

func flat(arm string, _, _ int) float64 {
	if arm == "pod" {
		return 950
	}
	return 1000
}

// TestRobustness: a steady cost stands; one that depends on the first seconds of
// every window, or on one round, is taken back. One that exceeds the margin without them
// too stands, and its size has a warning.
func TestRobustness(t *testing.T) {
	c := only(t, Run(windowed(t, 1, flat)))
	if c.Verdict != Costs || len(c.Variants) != 3 {
		t.Fatalf("%s, %+v", c.Verdict, c.Variants)
	}
	c = only(t, Run(windowed(t, 1, func(arm string, _, second int) float64 {
		if arm == "pod" && second < 20 {
			return 900 // still warming up
		}
		return 1000
	})))
	if c.Verdict != Inconclusive || !strings.Contains(fmt.Sprint(c.Reasons), "variant=[second-half]") {
		t.Errorf("a cost of the first seconds: %s, %v", c.Verdict, c.Reasons)
	}
	for name, pod := range map[string]float64{"costs": 800, "gains": 1300} {
		res := Run(windowed(t, 1, func(arm string, _, second int) float64 {
			if arm == "pod" && second < 20 {
				return pod - 100
			}
			return map[string]float64{"pod": pod, "bare": 1000}[arm]
		}))
		c, warned := only(t, res), slices.ContainsFunc(res.Warnings, func(r Reason) bool { return r.Code == "variant-differs" })
		if string(c.Verdict) != name || c.PastMargin != "yes" || !warned {
			t.Errorf("%s in both halves: %s, %v, warned %v", name, c.Verdict, c.Reasons, warned)
		}
	}
}

// TestVariantsAfterAPilot: the interval of a part of the data is that of the plan's way of stopping,
// as that of the whole is: Stein's, which is of the pilot's spread alone.
func TestVariantsAfterAPilot(t *testing.T) {
	yaml := strings.Replace(spec(8, "1%", "bare: {target: process}", "pod: {target: container}"), "rounds: 8,", "precision: 1%, rounds: {pilot: 4, max: 12},", 1)
	r := planned(t, yaml)
	longer, err := r.Plan.Extend(r.Experiment, 8, "test")
	if err != nil {
		t.Fatal(err)
	}
	r.Plan = longer
	spread := []float64{-.02, .02, -.01, .01, 0, 0, 0, .001}
	fill(r, func(arm string, round int) float64 {
		if arm == "pod" {
			return 800 * math.Exp(spread[round-1])
		}
		return 1000
	})
	for _, trial := range r.Trials {
		for i := range trial.Intervals {
			trial.Intervals[i].Warmup = false
		}
	}
	want := map[string][]float64{"second-half": spread, "without-round": append([]float64{.02, -.01, .01}, spread[4:]...)}
	for _, v := range only(t, Run(r)).Variants {
		d, known := want[v.Part.Code]
		if !known {
			continue
		}
		lo, hi := stats.SteinInterval(d, 4-(8-len(d)), 0.05)
		near(t, v.Part.Code, (math.Log1p(v.Interval95.Hi/100)-math.Log1p(v.Interval95.Lo/100))/2, (hi-lo)/2, 1e-6)
		delete(want, v.Part.Code)
	}
	if len(want) > 0 {
		t.Errorf("no %v", want)
	}
}

// TestSteadiness: a drift within the windows and a level that changes are seen,
// and in a steady run neither is.
func TestSteadiness(t *testing.T) {
	find := func(r *record.Run, arm string) Steadiness {
		for _, s := range Run(r).Steadiness {
			if s.Arm == arm {
				return s
			}
		}
		t.Fatal("no steadiness of " + arm)
		return Steadiness{}
	}
	s := find(windowed(t, 2, flat), "pod")
	if s.Flagged || s.Tested != 8 || s.Changed > 1 || math.Abs(s.Restart-0.5) > 0.4 || !(s.Bound < 2) {
		t.Errorf("a steady arm: %+v", s)
	}
	s = find(windowed(t, 2, func(arm string, _, second int) float64 { return 1000 + 3*float64(second) }), "pod")
	if !s.Flagged || s.Drift < 4 {
		t.Errorf("a drifting arm: %+v", s)
	}
	s = find(windowed(t, 2, func(arm string, _, second int) float64 {
		if second > 25 {
			return 800
		}
		return 1000
	}), "pod")
	if s.Changed < 6 {
		t.Errorf("an arm whose level falls: %+v", s)
	}
}

// TestCheapestWindow: a window has a best length where each has a start of its own. By slices the
// servers of a round start once, and its trials have no duration that would say what a start costs.
func TestCheapestWindow(t *testing.T) {
	r := windowed(t, 2, flat)
	for _, trial := range r.Trials {
		trial.Window = &record.Window{Seconds: 40, Counts: record.Counts{Transactions: int64(trial.Throughput() * 40)}}
		trial.End.Duration = time.Minute
	}
	for _, s := range Run(r).Steadiness {
		if !(s.Cheapest > 0) {
			t.Errorf("%s: by windows of 40 s and starts of 20 s, the best window is %v s", s.Arm, s.Cheapest)
		}
	}
	r.Plan = r.Plan.Interleave(r.Experiment, experiment.Interleaving{
		Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 40},
	})
	for _, s := range Run(r).Steadiness {
		if !math.IsNaN(s.Cheapest) || math.IsNaN(s.Restart) {
			t.Errorf("%s by slices: the best window is %v s, starts add %v %%", s.Arm, s.Cheapest, s.Restart)
		}
	}
}

// TestScaling: a law comes back from its throughputs; a hard cap is none.
func TestScaling(t *testing.T) {
	law := func(n float64) float64 { return 100 * n / (1 + 0.05*(n-1) + 0.001*n*(n-1)) }
	run := func(x func(float64) float64) Scaling {
		yaml := strings.Replace(spec(6, "1%", "bare: {target: process}", "pod: {target: container}"), "threads: 4", "threads: [1, 4, 16, 32, 64]", 1)
		r := planned(t, yaml)
		rng := rand.New(rand.NewPCG(6, 6))
		for _, p := range r.Plan.Trials {
			r.Trials = append(r.Trials, trialOf(p, x(float64(p.Threads))*math.Exp(0.005*rng.NormFloat64())))
		}
		all := Run(r).Scalings
		if len(all) != 2 {
			t.Fatalf("%d scalings, want one per arm", len(all))
		}
		return all[1]
	}
	s := run(law)
	if s.Misfit || math.Abs(s.Sigma-0.05) > 0.01 || math.Abs(s.Kappa-0.001) > 0.0002 || math.Abs(s.Peak-math.Sqrt(0.95/0.001)) > 3 {
		t.Errorf("%+v", s)
	}
	if s.SigmaInterval == nil || s.SigmaInterval.Lo > 0.05 || s.SigmaInterval.Hi < 0.05 {
		t.Errorf("interval of sigma: %+v", s.SigmaInterval)
	}
	if s = run(func(n float64) float64 { return 100 * math.Min(n, 10) }); !s.Misfit {
		t.Errorf("a hard cap passes for the law: %+v", s)
	}
}

// TestDisturbed: a trial that began on a slower machine is counted for its arm, and the
// effect without its round is shown; one on a machine that only breathes is not.
func TestDisturbed(t *testing.T) {
	r := windowed(t, 3, flat)
	rng := rand.New(rand.NewPCG(5, 5))
	var slow int
	for _, trial := range r.Trials {
		ns := 10e6 * math.Exp(0.01*rng.NormFloat64())
		if trial.Header.Arm == "pod" && trial.Header.Round == 3 {
			ns, slow = 1.5*ns, trial.Header.Trial
		}
		trial.Facts = append(trial.Facts, record.Fact{Key: "sentinel.cpu_ns", Value: fmt.Sprintf("%.0f", ns), Phase: "start"})
	}
	if off := slowMachine(r); len(off) != 1 || !off[slow] {
		t.Errorf("off before %v, want trial %d", off, slow)
	}
	if again := ToRepeat(r); len(again) != 1 || again[0].Round != 3 || again[0].Causes[0].Gate != "sentinel" {
		t.Errorf("to be run again: %+v", again)
	}
	res := Run(r)
	c := only(t, res)
	if v := variantOf(t, c, withoutVoids); len(c.Pairs) != 8 || v.Rounds != 7 || !v.Agrees {
		t.Errorf("%d pairs, %+v", len(c.Pairs), v)
	}
	for _, s := range res.Steadiness {
		if want := map[string]int{"pod": 1}[s.Arm]; s.MachineSlow != want {
			t.Errorf("%s: %d disturbed trials, want %d", s.Arm, s.MachineSlow, want)
		}
	}
	if len(res.Differences) > 0 {
		t.Errorf("the sentinel counts as a difference: %+v", res.Differences)
	}
}

// TestSentinelSpread: how slow is too slow follows from how the sentinel spreads in the
// run. The same 30 % stand out on a machine that is quiet and not on one that breathes;
// nothing within the margin does, however quiet the machine.
func TestSentinelSpread(t *testing.T) {
	for name, c := range map[string]struct {
		spread, slow float64
		off          int
	}{
		"quiet, 30 %":        {0.01, 0.30, 1},
		"restless, 30 %":     {0.20, 0.30, 0},
		"restless, 9 times":  {0.20, 8.00, 1},
		"quite still, 0.9 %": {1e-6, 0.009, 0},
		"quite still, 2 %":   {1e-6, 0.02, 1},
		"not slow at all":    {0.01, 0, 0},
	} {
		r := windowed(t, 3, flat)
		rng := rand.New(rand.NewPCG(5, 5))
		for i, trial := range r.Trials {
			ns := 10e6 * math.Exp(c.spread*rng.NormFloat64())
			if i == 5 {
				ns = 10e6 * (1 + c.slow)
			}
			trial.Facts = append(trial.Facts, record.Fact{Key: "sentinel.fsync_ns", Value: fmt.Sprintf("%.0f", ns), Phase: "start"})
		}
		if off := slowMachine(r); len(off) != c.off {
			t.Errorf("%s: off before %v, want %d trials", name, off, c.off)
		}
	}
}
