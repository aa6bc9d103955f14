package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// The tests TestC01 ... TestC16 calibrate the methods. Each simulates a situation in
// which the right answer is known, counts how often a method is wrong, and
// compares that with what the method promises. Beside it runs a method that is
// known to be broken in just this situation: were the simulation too kind, the
// broken one would pass too, and the test fails. Numbers C1 ... C16 are those of
// the table of calibration tests in docs/results/calibration.md; C12, about latency sketches,
// belongs elsewhere.
//
// All are seeded. TARE_CALIBRATE=full runs them at full size, which takes two
// minutes and narrows the bands.

// simulations is how often to repeat: quick by default, full on request, a tenth
// of quick under the race detector.
func simulations(quick, full int) int {
	switch {
	case os.Getenv("TARE_CALIBRATE") == "full":
		return full
	case raceEnabled:
		return max(quick/10, 100)
	}
	return quick
}

// calibration is one situation. simulate draws it once and says whether the
// method erred and whether the broken control did.
type calibration struct {
	sims     int
	seed     uint64
	lo, hi   float64 // what the method promises of its true error rate
	simulate func(rng *rand.Rand) (method, broken bool)
	control  bool // false where no simple method is broken: the white-noise rows
}

// run fails t when the method's rate lies outside its promise by more than
// chance allows, or the broken control's does not.
func (c calibration) run(t *testing.T) {
	t.Helper()
	method, broken := 0, 0
	for i := range c.sims {
		m, b := c.simulate(rand.New(rand.NewPCG(c.seed, uint64(i))))
		method += count(m)
		broken += count(b)
	}
	rate, control := float64(method)/float64(c.sims), float64(broken)/float64(c.sims)
	least, most := band(c.sims, c.lo, c.hi)
	t.Logf("%d simulations: method %.2f %%, allowed %.2f to %.2f %%, broken control %.2f %%",
		c.sims, 100*rate, 100*least, 100*most, 100*control)
	if rate < least || rate > most {
		t.Errorf("the method errs %.2f %% of the time, promised %.1f to %.1f %% (allowed %.2f to %.2f in %d simulations)",
			100*rate, 100*c.lo, 100*c.hi, 100*least, 100*most, c.sims)
	}
	// A tenth of the simulations cannot tell a control that errs 9 % from 5 %.
	if c.control && !raceEnabled && control >= least && control <= most {
		t.Errorf("the broken control passes with %.2f %%: this simulation cannot tell right from wrong", 100*control)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// band widens a promised rate by the binomial error of n simulations at 99.9 %.
func band(n int, lo, hi float64) (least, most float64) {
	se := func(p float64) float64 { return 3.29 * math.Sqrt(p*(1-p)/float64(n)) }
	return lo - se(lo), hi + se(hi)
}

// share is how often simulate is true.
func share(n int, seed uint64, simulate func(rng *rand.Rand) bool) float64 {
	hits := 0
	for i := range n {
		hits += count(simulate(rand.New(rand.NewPCG(seed, uint64(i)))))
	}
	return float64(hits) / float64(n)
}

// autoregressive is a stationary AR(1) series with the given mean, SD of single
// values and correlation of neighbours.
func autoregressive(rng *rand.Rand, n int, mean, sd, rho float64) []float64 {
	x := make([]float64, n)
	fresh := math.Sqrt(1 - rho*rho)
	state := rng.NormFloat64()
	for i := range x {
		x[i] = mean + sd*state
		state = rho*state + fresh*rng.NormFloat64()
	}
	return x
}

func normals(rng *rand.Rand, n int, mean, sd float64) []float64 {
	return autoregressive(rng, n, mean, sd, 0)
}

// studentT3 is heavy-tailed noise with a finite variance of 3.
func studentT3(rng *rand.Rand) float64 {
	var chi float64
	for range 3 {
		g := rng.NormFloat64()
		chi += g * g
	}
	return rng.NormFloat64() / math.Sqrt(chi/3)
}

// missesMean reports whether the t interval of x leaves out truth.
func missesMean(x []float64, truth float64) bool {
	lo, hi := TInterval(x, 0.05)
	return truth < lo || truth > hi
}

// welchP is the two-sided p of Welch's unpaired t test: right for independent
// values, and the broken control wherever they are not.
func welchP(a, b []float64) float64 {
	va, vb := Variance(a)/float64(len(a)), Variance(b)/float64(len(b))
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	return tTwoSided((Mean(a)-Mean(b))/math.Sqrt(va+vb), df)
}

// The helpers above must themselves be right: an AR(1) that is not correlated
// would make every test easy.
func TestSimulatedSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := autoregressive(rng, 20000, 100, 3, 0.6)
	near(t, "mean", Mean(x), 100, 0.002)
	near(t, "SD", SD(x), 3, 0.03)
	near(t, "neighbour correlation", covariance(x[1:], x[:len(x)-1])/Variance(x), 0.6, 0.02)
	var heavy []float64
	for range 50000 {
		heavy = append(heavy, studentT3(rng))
	}
	near(t, "t3 upper quartile", Quantile(heavy, 0.75), 0.7649, 0.02)
}
