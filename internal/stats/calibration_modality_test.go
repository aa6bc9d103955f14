package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The broken control takes an arm for two-faced where its two best groups explain most
// of its variance. The best two groups of few values always explain much.
func TestC11TwoStates(t *testing.T) {
	t.Parallel()
	mixture := func(apart, share float64) func(rng *rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return rng.NormFloat64() + apart*float64(count(rng.Float64() < share)) }
	}
	for _, c := range []struct {
		name   string
		n      int
		draw   func(rng *rand.Rand) float64
		lo, hi float64
		one    bool // state only: the broken control must err
	}{
		{"normal", 10, mixture(0, 0), 0.004, 0.02, true},
		{"normal", 20, mixture(0, 0), 0.004, 0.02, true},
		{"heavy tails", 10, studentT3, 0, 0.02, true},
		{"4 SD apart", 10, mixture(4, 0.5), 0.07, 0.23, false},
		{"6 SD apart", 10, mixture(6, 0.5), 0.49, 0.65, false},
		{"10 SD apart", 10, mixture(10, 0.5), 0.89, 1, false},
		{"4 SD apart", 20, mixture(4, 0.5), 0.38, 0.54, false},
		{"6 SD apart", 20, mixture(6, 0.5), 0.90, 1, false},
	} {
		critical := splitCritical(c.n, 11)
		broken, sims := 0, simulations(3000, 20000)
		found := share(sims, 111, func(rng *rand.Rand) bool {
			x := make([]float64, c.n)
			for i := range x {
				x[i] = c.draw(rng)
			}
			slices.Sort(x)
			r2, _ := bestSplit(x)
			broken += count(r2 > 0.75)
			return r2 > critical
		})
		control := float64(broken) / float64(sims)
		t.Logf("%s, n=%d: two states in %.2f %%, promised %.1f to %.1f; where two groups explain three quarters: %.1f %%",
			c.name, c.n, 100*found, 100*c.lo, 100*c.hi, 100*control)
		least, most := band(sims, c.lo, c.hi)
		if found < least || found > most {
			t.Errorf("%s, n=%d: two states in %.1f %%, want %.1f to %.1f", c.name, c.n, 100*found, 100*c.lo, 100*c.hi)
		}
		if c.one && control <= most {
			t.Errorf("%s, n=%d: the broken control passes with %.1f %%: this simulation cannot tell right from wrong", c.name, c.n, 100*control)
		}
	}
}

// What a trial has is seconds, and they are correlated. A null of independent
// values holds for them only because the flattest single mode is in it: the
// normal one alone, the broken control, takes a slow wander for two states.
func TestC11Seconds(t *testing.T) {
	t.Parallel()
	const n = 120
	test := NewTwoStatesTest(11)
	normal := splitQuantile(n, 1999, rand.New(rand.NewPCG(11, 11)).NormFloat64)
	for _, c := range []struct {
		rho, apart, upper float64 // SD apart, share of the upper level
		lo, hi            float64
	}{
		{0.6, 0, 0, 0, 0.01}, {0.9, 0, 0, 0, 0.01}, {0.97, 0, 0, 0, 0.08},
		{0, 4, 0.5, 0.55, 0.75}, {0, 5, 0.5, 0.97, 1}, {0, 5, 0.2, 0.35, 0.55}, {0, 6, 0.2, 0.95, 1},
		{0, 6, 0.1, 0, 0.15}, // rare: nearly blind
	} {
		broken, sims := 0, simulations(1000, 10000)
		found := share(sims, 311, func(rng *rand.Rand) bool {
			x := autoregressive(rng, n, 0, 1, c.rho)
			for s := range x {
				x[s] += c.apart * float64(count(float64(s) >= (1-c.upper)*n))
			}
			two := test.Of(x)
			broken += count(two.R2 > normal)
			return two.Found
		})
		control := float64(broken) / float64(sims)
		t.Logf("rho=%v, upper %v %% of the time %v SD apart: two states in %.2f %%, promised %.1f to %.1f, normal null alone %.2f %%",
			c.rho, 100*c.upper, c.apart, 100*found, 100*c.lo, 100*c.hi, 100*control)
		least, most := band(sims, c.lo, c.hi)
		if found < least || found > most {
			t.Errorf("rho=%v, %v SD apart: two states in %.1f %%, want %.1f to %.1f", c.rho, c.apart, 100*found, 100*c.lo, 100*c.hi)
		}
		if c.rho == 0.9 && control <= most {
			t.Errorf("the normal null alone passes with %.1f %%: this simulation cannot tell right from wrong", 100*control)
		}
	}
}

func TestC11Dip(t *testing.T) {
	t.Parallel()
	const n = 300
	rng := rand.New(rand.NewPCG(1, 1))
	null := make([]float64, 1999)
	for i := range null {
		x := make([]float64, n)
		for j := range x {
			x[j] = rng.Float64()
		}
		null[i] = Dip(x)
	}
	critical := Quantile(null, 0.95)
	rounded := func(x []float64) []float64 { // to a fifth of the SD
		for i := range x {
			x[i] = math.Round(5*x[i]) / 5
		}
		return x
	}
	mixture := func(rng *rand.Rand, apart, share float64) []float64 {
		x := normals(rng, n, 0, 1)
		for i := range x {
			x[i] += apart * float64(count(rng.Float64() < share))
		}
		return x
	}
	for _, c := range []struct {
		name   string
		draw   func(rng *rand.Rand) []float64
		step   float64
		lo, hi float64
	}{
		{"normal", func(rng *rand.Rand) []float64 { return normals(rng, n, 0, 1) }, 0, 0, 0.025},
		{"AR(.6)", func(rng *rand.Rand) []float64 { return autoregressive(rng, n, 0, 1, 0.6) }, 0, 0, 0.025},
		{"rounded, jittered", func(rng *rand.Rand) []float64 { return rounded(normals(rng, n, 0, 1)) }, 0.2, 0, 0.05},
		{"rounded, as is: the broken control", func(rng *rand.Rand) []float64 { return rounded(normals(rng, n, 0, 1)) }, 0, 0.95, 1},
		{"50/50, 4 SD", func(rng *rand.Rand) []float64 { return mixture(rng, 4, 0.5) }, 0, 0.92, 1},
		{"80/20, 6 SD", func(rng *rand.Rand) []float64 { return mixture(rng, 6, 0.2) }, 0, 0.80, 0.96},
		{"80/20, 4 SD: nearly blind", func(rng *rand.Rand) []float64 { return mixture(rng, 4, 0.2) }, 0, 0, 0.10},
	} {
		sims := simulations(600, 4000)
		found := share(sims, 211, func(rng *rand.Rand) bool {
			dip, _ := DipTest(c.draw(rng), c.step, 0, rng.Uint64())
			return dip > critical
		})
		t.Logf("%s: multimodal in %.2f %%, promised %.1f to %.1f", c.name, 100*found, 100*c.lo, 100*c.hi)
		if least, most := band(sims, c.lo, c.hi); found < least || found > most {
			t.Errorf("%s: multimodal in %.1f %%, want %.1f to %.1f", c.name, 100*found, 100*c.lo, 100*c.hi)
		}
	}
}
