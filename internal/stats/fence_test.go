package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestUpperFenceByHand(t *testing.T) {
	// Median 3, deviations 2 1 0 1 97, of the upper half 0 1 97: both have median 1.
	near(t, "fence", UpperFence([]float64{1, 2, 3, 4, 100}), 3+5*1.4826, 1e-12)
	// Of the upper half 0 6 9: its 6 is larger than the 1 of all.
	near(t, "skewed", UpperFence([]float64{2, 2.5, 3, 9, 12}), 3+5*1.4826*6, 1e-12)
	near(t, "of one", UpperFence([]float64{7}), 7, 0)
	near(t, "of none", UpperFence(nil), math.NaN(), 0)
}

// Values from one distribution stand out from each other hardly ever, whatever its
// shape; one that is disturbed does. The broken control is the usual fence, four
// median deviations, on the skewed values that times are.
func TestUpperFence(t *testing.T) {
	t.Parallel()
	usual := func(x []float64) float64 {
		m := Median(x)
		var all []float64
		for _, v := range x {
			all = append(all, math.Abs(v-m))
		}
		return m + 4*1.4826*Median(all)
	}
	shapes := map[string]func(rng *rand.Rand) float64{
		"normal":      func(rng *rand.Rand) float64 { return rng.NormFloat64() },
		"heavy tails": studentT3,
		"skewed":      func(rng *rand.Rand) float64 { return rng.ExpFloat64() },
	}
	for name, draw := range shapes {
		for _, n := range []int{12, 24, 60} {
			t.Run(fmt.Sprintf("%s,n=%d", name, n), func(t *testing.T) {
				found, broken, seen := 0, 0, 0
				sims := simulations(2000, 20000)
				for i := range sims {
					rng := rand.New(rand.NewPCG(131, uint64(i)))
					x := make([]float64, n)
					for k := range x {
						x[k] = draw(rng)
					}
					fence, other := UpperFence(x), usual(x)
					for _, v := range x {
						found, broken = found+count(v > fence), broken+count(v > other)
					}
					x[0] = 20
					seen += count(x[0] > UpperFence(x))
				}
				of := float64(sims * n)
				t.Logf("%.2f %% of undisturbed values are called outlying, four median deviations call %.2f %%; one far away is seen in %.1f %%",
					100*float64(found)/of, 100*float64(broken)/of, 100*float64(seen)/float64(sims))
				if _, most := band(sims, 0, 0.01); float64(found)/of > most {
					t.Errorf("%.2f %% of undisturbed values are called outlying, want 1 %% at most", 100*float64(found)/of)
				}
				if float64(seen)/float64(sims) < 0.9 {
					t.Errorf("one far away is seen in %.1f %%, want 90 %%", 100*float64(seen)/float64(sims))
				}
				if name == "skewed" && float64(broken)/of < 0.02 {
					t.Errorf("the broken control calls only %.2f %% outlying: this simulation cannot tell right from wrong", 100*float64(broken)/of)
				}
			})
		}
	}
}
