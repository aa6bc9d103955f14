package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// turnsOf is a run by slices: rounds of cycles of arms that differ a lot, on a machine whose speed
// wanders from turn to turn (5 %, correlation .9 to the next) and with noise of each turn (2 %). A
// turn after arm 2 is slower by left, as a share.
func turnsOf(rng *rand.Rand, rounds, cycles, arms int, left float64) []Cycles {
	out := make([]Cycles, rounds)
	machine := rng.NormFloat64()
	for r := range out {
		last := -1
		for range cycles {
			y, before := make([]float64, arms), make([]int, arms)
			for _, a := range rng.Perm(arms) {
				machine = 0.9*machine + math.Sqrt(1-0.81)*rng.NormFloat64()
				y[a] = 2000 / float64(1+a) * (1 + 0.05*machine + 0.02*rng.NormFloat64())
				if last == 2 {
					y[a] *= 1 - left
				}
				before[a], last = last, a
			}
			out[r].Y, out[r].Before = append(out[r].Y, y), append(out[r].Before, before)
		}
	}
	return out
}

// rawF is F of the throughputs themselves, between the arms that were on before.
func rawF(rounds []Cycles, arms int) float64 {
	var y []float64
	var previous []int
	for _, r := range rounds {
		for c, row := range r.Y {
			for a, v := range row {
				if b := r.Before[c][a]; b >= 0 {
					y, previous = append(y, v), append(previous, b)
				}
			}
		}
	}
	return fRatio(y, betweenSquares(y, previous, arms), arms)
}

func TestC17CarryOverOfTurns(t *testing.T) {
	t.Parallel()
	const rounds, cycles, arms = 8, 15, 5
	detects := func(rng *rand.Rand, run []Cycles) bool {
		c, err := CarryOverOfTurns(run, arms, 99, rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		return c.P <= 0.05
	}
	calibration{sims: simulations(1000, 4000), seed: 117, lo: 0.05, hi: 0.07, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			run := turnsOf(rng, rounds, cycles, arms, 0)
			// Broken: throughputs instead of residuals. An arm follows itself at the border of two
			// cycles only, so what an arm costs looks like what its predecessor left.
			return detects(rng, run), rawF(run, arms) > 2.39 // F(.95; 4, 590)
		}}.run(t)
	for left, want := range map[float64][2]float64{0.01: {0.5, 1}, 0.02: {0.97, 1}} {
		n := simulations(200, 1000)
		power := share(n, 217, func(rng *rand.Rand) bool { return detects(rng, turnsOf(rng, rounds, cycles, arms, left)) })
		t.Logf("a carry-over of %.0f %% is found in %.1f %%", 100*left, 100*power)
		if least, most := band(n, want[0], want[1]); power < least || power > most {
			t.Errorf("a carry-over of %v is found in %.0f %%, want %.0f to %.0f", left, 100*power, 100*want[0], 100*want[1])
		}
	}
}

// TestCarryOverOfTurnsRefuses: what cannot be tested is an error, not a p value.
func TestCarryOverOfTurnsRefuses(t *testing.T) {
	one := Cycles{Y: [][]float64{{1, 2}}, Before: [][]int{{-1, 0}}}
	two := turnsOf(rand.New(rand.NewPCG(1, 1)), 2, 3, 2, 0)
	for name, rounds := range map[string][]Cycles{"one cycle": {one, one}, "one round": two[:1], "orders that are missing": {two[0], {Y: two[1].Y}}} {
		if c, err := CarryOverOfTurns(rounds, 2, 9, 1); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	silent := []Cycles{{Y: [][]float64{{0, 1}, {0, 1}}, Before: [][]int{{-1, 0}, {1, 0}}}, two[0]}
	if c, err := CarryOverOfTurns(silent, 2, 9, 1); err != nil || math.IsNaN(c.Left[0]) {
		t.Errorf("an arm without a transaction: %+v, %v", c, err)
	}
}
