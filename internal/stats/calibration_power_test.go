package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestC19DetectableEffect: an effect of the size that a plan announces is missed in 20 % of runs,
// by the interval that the verdict is read from. An announcement that forgets the other
// comparisons is too small: of four, it is missed about twice as often.
func TestC19DetectableEffect(t *testing.T) {
	const sd = 0.01
	missed := func(rng *rand.Rand, effect float64, rounds, k int) bool {
		lo, hi := TInterval(normals(rng, rounds, effect, sd), 0.05/float64(k))
		return lo <= 0 && hi >= 0
	}
	for _, c := range []struct{ rounds, k int }{{8, 1}, {8, 4}, {20, 4}} {
		t.Run(fmt.Sprintf("%d rounds, %d comparisons", c.rounds, c.k), func(t *testing.T) {
			adjusted, alone := DetectableEffectFamily(sd, c.rounds, c.k), DetectableEffect(sd, c.rounds)
			calibration{sims: simulations(2000, 20000), seed: 19, lo: 0.2, hi: 0.2, control: c.k > 1,
				simulate: func(rng *rand.Rand) (bool, bool) {
					return missed(rng, adjusted, c.rounds, c.k), missed(rng, alone, c.rounds, c.k)
				}}.run(t)
		})
	}
}

// TestC26SpreadInterval: the interval of a spread, which a plan's range of precision is from. Broken: a
// normal approximation of the standard deviation.
func TestC26SpreadInterval(t *testing.T) {
	for _, n := range []int{4, 8, 16} {
		calibration{sims: simulations(4000, 20000), seed: 126, lo: 0.2, hi: 0.2, control: n == 4,
			simulate: func(rng *rand.Rand) (bool, bool) {
				sd := SD(normals(rng, n, 0, 1))
				lo, hi := SDInterval(sd, n, 0.2)
				half := 1.2816 * sd / math.Sqrt(2*float64(n-1))
				return lo > 1 || hi < 1, sd-half > 1 || sd+half < 1
			}}.run(t)
	}
	if lo, hi := SDInterval(1, 1, 0.2); !math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("one value: %v to %v", lo, hi)
	}
}
