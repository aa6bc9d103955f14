//go:build !race

package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// The calibrations of whole runs, on simulated data whose truth is known. They are
// thousands of runs of one thread: the race detector has nothing to find in them and
// makes them ten times slower, so they are run without it (make unit).

// Two equal arms must differ in 5 % of all runs, and a family of three in 5 % of
// all families. The band is four standard errors of 2000 simulations.
func TestFalsePositives(t *testing.T) {
	const runs = 2000
	for _, k := range []int{1, 3} {
		arms := []string{"bare: {target: process}", "a: {target: process}", "b: {target: process}", "c: {target: process}"}[:k+1]
		rng := rand.New(rand.NewPCG(7, uint64(k)))
		hits := 0
		template := planned(t, spec(8, "1%", arms...))
		for range runs {
			r := &record.Run{Experiment: template.Experiment, Plan: template.Plan}
			drift := 0.0
			last := 0
			fill(r, func(_ string, round int) float64 {
				if round != last {
					drift, last = 0.9*drift+0.02*rng.NormFloat64(), round
				}
				return 1000 * math.Exp(drift+0.01*rng.NormFloat64())
			})
			for _, c := range Run(r).Contrasts {
				if c.Interval95.Lo > 0 || c.Interval95.Hi < 0 {
					hits++
					break
				}
			}
		}
		// Three dependent comparisons under Bonferroni stay a little below 5 %.
		rate, low := float64(hits)/runs, 0.0305
		if k > 1 {
			low = 0.02
		}
		if rate < low || rate > 0.0695 {
			t.Errorf("%d equal arms: %.2f %% false differences, want about 5", k, 100*rate)
		}
	}
}

// TestAttributionCovers: over many campaigns the intervals hold the truth, also
// those of a layer that does nothing. 400 campaigns: 95 % give or take 3.6 points
// at 99.9 %.
func TestAttributionCovers(t *testing.T) {
	_, truth := attributed(t, threeLayers(planned(t, stacked(8, "")), 0, 1))
	const campaigns = 400
	misses := make([]int, 3)
	run := planned(t, stacked(8, ""))
	for seed := range uint64(campaigns) {
		run.Trials = nil
		_, a := attributed(t, threeLayers(run, 0.01, seed+2))
		for i, l := range a.Layers {
			if want := truth.Layers[i].Points; want < l.Interval.Lo || want > l.Interval.Hi {
				misses[i]++
			}
		}
	}
	for i, n := range misses {
		if rate := float64(n) / campaigns; rate < 0.014 || rate > 0.086 {
			t.Errorf("%s: %.1f %% of the intervals miss", truth.Layers[i].Name, 100*rate)
		}
	}
}

// TestAlarmRate: sound runs raise the alarm once in a hundred; 2000 runs, 99.9 %.
func TestAlarmRate(t *testing.T) {
	const runs = 2000
	alarms := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 77))
		f := NoiseFloor{Pairs: nil}
		for round := range 8 {
			f.Pairs = append(f.Pairs, Pair{round + 1, 1000, 1000 * math.Exp(0.01*rng.NormFloat64())})
		}
		if f.fill(comparison{run: &record.Run{}}); f.Alarm {
			alarms++
		}
	}
	if rate := float64(alarms) / runs; rate < 0.004 || rate > 0.019 {
		t.Errorf("%.2f %% of sound runs raise the alarm", 100*rate)
	}
}

// TestUselessRemediesAreNotKept calibrates the decision: of changes that do
// nothing at all, at most 2.5 % may be kept (one side of a 95 % interval), also
// where three are measured at once. Keeping whatever looked faster, the method
// of tuning guides, keeps every second one, and most runs of three keep one.
func TestUselessRemediesAreNotKept(t *testing.T) {
	const runs = 400
	rng := rand.New(rand.NewPCG(7, 7))
	yaml := spec(8, "1%", "bare: {target: process}") +
		"remedies:\n  a: {rule: A-1, change: {config: {a: 1}}}\n  b: {rule: A-2, change: {config: {b: 1}}}\n  c: {rule: A-3, change: {config: {c: 1}}}\n"
	kept, naive := 0, 0
	for range runs {
		r := fill(planned(t, yaml), func(string, int) float64 { return 1000 * math.Exp(0.03*rng.NormFloat64()) })
		anyKept, anyFaster := false, false
		for _, m := range Run(r).Remedies {
			anyKept = anyKept || m.Decision == Kept
			anyFaster = anyFaster || m.Contrasts[0].Effect > 0
		}
		if anyKept {
			kept++
		}
		if anyFaster {
			naive++
		}
	}
	if rate := float64(kept) / runs; rate > 0.045 { // 2.5 % and three standard errors
		t.Errorf("%.1f %% of the runs kept a change that does nothing", 100*rate)
	}
	if rate := float64(naive) / runs; rate < 0.7 {
		t.Errorf("the naive method kept one in %.1f %% of the runs only: the simulation is too easy", 100*rate)
	}
}

// TestRobustnessRarelyTakesBack: a sound run's verdict is taken back by chance in
// at most a tenth of cases.
func TestRobustnessRarelyTakesBack(t *testing.T) {
	const runs = 200
	taken := 0
	for seed := range uint64(runs) {
		if c := only(t, Run(windowed(t, seed, flat))); c.Verdict == Inconclusive {
			taken++
		}
	}
	if taken > runs/10 {
		t.Errorf("%d of %d sound verdicts were taken back", taken, runs)
	}
}

// TestOpenRunsErr: over an unending run of two equal arms they are told apart in at
// most a twentieth of cases, where the ordinary interval does in many more.
func TestOpenRunsErr(t *testing.T) {
	const runs, rounds = 300, 30
	alarms, plain := 0, 0
	for seed := range uint64(runs) {
		r := stopped(t, "{open: true, pilot: 30, max: 100}", 100+seed, 0)
		d := logRatios(only(t, Run(r)).Pairs)
		j := newComparison(r, outline(r))
		_, bounds := j.bounds(rounds, 0)
		wrong, naive := false, false
		for n := 3; n <= rounds; n++ {
			lo, hi := bounds(d[:n], 0.05)
			wrong = wrong || lo > 0 || hi < 0
			lo, hi = stats.TInterval(d[:n], 0.05)
			naive = naive || lo > 0 || hi < 0
		}
		if wrong {
			alarms++
		}
		if naive {
			plain++
		}
	}
	if alarms > runs/20 || plain < runs/8 {
		t.Errorf("%d of %d open runs err, %d with the ordinary interval", alarms, runs, plain)
	}
}
