package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// twice is a run of 8 rounds whose baseline is measured twice; the second time its
// throughput is times again.
func twice(t *testing.T, again, arm float64, seed uint64) *record.Run {
	t.Helper()
	r := planned(t, strings.Replace(spec(8, "1%", "bare: {target: process}", "pod: {target: container}"), "aa: false", "aa: true", 1))
	rng := rand.New(rand.NewPCG(seed, 9))
	for _, p := range r.Plan.Trials {
		tps := 1000 * math.Exp(0.02*math.Sin(float64(p.Round))+0.002*rng.NormFloat64())
		switch {
		case p.Again:
			tps *= again
		case p.Arm == "pod":
			tps *= arm
		}
		r.Trials = append(r.Trials, trialOf(p, tps))
	}
	return r
}

// TestTheBaselineAgainstItself: the A/A is reported, costs no other contrast
// anything, and the second trial of the baseline is nobody's partner.
func TestTheBaselineAgainstItself(t *testing.T) {
	res := Run(twice(t, 1, 0.9, 1))
	c := only(t, res)
	if c.Verdict != Costs || c.Family != 1 || len(c.Pairs) != 8 || math.Abs(c.Effect+10) > 0.5 {
		t.Errorf("%+v", c)
	}
	f := res.NoiseFloors[0]
	if len(res.NoiseFloors) != 1 || f.Rounds != 8 || f.Alarm || f.Interval95.Lo > 0 || f.Interval95.Hi < 0 || math.Abs(f.Effect) > 0.5 {
		t.Errorf("%+v", f)
	}
	if base := res.Arms[0]; len(base.Trials) != 16 || len(base.firsts()) != 8 || len(base.repeats()) != 8 {
		t.Errorf("%d trials of the baseline, %d and %d of them numbers", len(base.Trials), len(base.firsts()), len(base.repeats()))
	}
}

// TestNoiseTakesVerdictsBack: where the baseline differs from itself, an arm that
// differs no more is inconclusive; one far beyond is not.
func TestNoiseTakesVerdictsBack(t *testing.T) {
	for arm, want := range map[float64]Verdict{0.97: Inconclusive, 1: Inconclusive, 0.8: Costs} {
		res := Run(twice(t, 0.96, arm, 2))
		c := only(t, res)
		if c.Verdict != want || !res.NoiseFloors[0].Alarm || c.Interval95 == nil {
			t.Errorf("an arm at %v: %s, %v", arm, c.Verdict, c.Reasons)
		}
		if want == Inconclusive && !strings.Contains(fmt.Sprint(c.Reasons), "within-noise-floor") {
			t.Error(c.Reasons)
		}
	}
}

func TestSealedRunsShowNoNoise(t *testing.T) {
	r := twice(t, 1, 1, 0)
	r.Trials = r.Trials[:10]
	if f := Run(r).NoiseFloors[0]; f.Interval95 != nil || f.Pairs != nil {
		t.Errorf("a sealed run shows its A/A: %+v", f)
	}
}

// TestProbesAreNoNoise: where the baseline's second trials are not watched, the difference is what
// the probes cost, and takes no verdict back: all contrasts are of watched trials.
func TestProbesAreNoNoise(t *testing.T) {
	r := twice(t, 1.04, 0.97, 2)
	r.Experiment.Protocol.Probes = experiment.ProbesAlternate
	res := Run(r)
	if c, f := only(t, res), res.NoiseFloors[0]; c.Verdict != Costs || f.Alarm || !f.Probes || f.Interval95.Lo < 3 {
		t.Errorf("%s, %v, %+v", c.Verdict, c.Reasons, f)
	}
}
