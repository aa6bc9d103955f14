package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The long-run variance of an AR(1) with SD 3 is 9(1+rho)/(1-rho).
func TestLongRunVarianceIsRecovered(t *testing.T) {
	t.Parallel()
	for _, rho := range []float64{0, 0.3, 0.6} {
		var ewc, batch, ess []float64
		for i := range simulations(400, 4000) {
			x := autoregressive(rand.New(rand.NewPCG(70, uint64(i))), 1200, 100, 3, rho)
			e := EWC(x)
			ewc, batch, ess = append(ewc, e.LRV), append(batch, BatchMeans(x, 10).LRV), append(ess, 1/e.ESS)
		}
		want := 9 * (1 + rho) / (1 - rho)
		tol := 0.08 + 0.1*float64(count(raceEnabled))
		near(t, "EWC", Mean(ewc), want, tol)
		near(t, "batch means", Mean(batch), want, tol)
		near(t, "1/ESS in units of T", Mean(ess)*1200, (1+rho)/(1-rho), tol)
	}
}

func TestBatchMeans(t *testing.T) {
	r := BatchMeans([]float64{99, 1, 3, 5, 7, 11, 13}, 3) // 99 does not fill a batch: 2, 6, 12
	near(t, "mean", r.Mean, 20.0/3, 1e-14)
	near(t, "LRV", r.LRV, 2*Variance([]float64{2, 6, 12}), 1e-14)
	near(t, "SE", r.SE, SD([]float64{2, 6, 12})/math.Sqrt(3), 1e-14)
	if r.N != 6 || r.DF != 2 {
		t.Errorf("N, DF = %d, %v, want 6, 2", r.N, r.DF)
	}
}

func TestLongRunRefusals(t *testing.T) {
	for name, r := range map[string]LongRun{
		"EWC of nothing":         EWC(nil),
		"EWC of 19 values":       EWC(make([]float64, 19)),
		"batches of one value":   BatchMeans(make([]float64, 15), 10),
		"one batch":              BatchMeans(make([]float64, 15), 1),
		"batch means of nothing": BatchMeans(nil, 10),
	} {
		if !math.IsNaN(r.SE) {
			t.Errorf("%s has SE %v, want NaN", name, r.SE)
		}
	}
	constant := make([]float64, 100)
	for i := range constant {
		constant[i] = 7
	}
	lo, hi := EWC(constant).Interval(0.05)
	near(t, "lo of a constant", lo, 7, 1e-12)
	near(t, "hi of a constant", hi, 7, 1e-12)
	lo, _ = EWC(autoregressive(rand.New(rand.NewPCG(1, 1)), 120, 100, 3, 0.97)).Interval(0.05)
	near(t, "lo of a window that is too short", lo, math.NaN(), 0)
}

// A trial SD of 1 % and a long-run variance known in advance come back apart.
func TestVarianceComponents(t *testing.T) {
	t.Parallel()
	var between []float64
	for i := range simulations(300, 2000) {
		rng := rand.New(rand.NewPCG(71, uint64(i)))
		trials := make([]LongRun, 20)
		for j := range trials {
			trials[j] = EWC(autoregressive(rng, 300, 1+0.01*rng.NormFloat64(), 0.03, 0.6))
		}
		between = append(between, VarianceComponents(trials).Between)
	}
	near(t, "between trials, 1e-4", 1e4*Mean(between), 1, 0.05+0.05*float64(count(raceEnabled)))
}

func TestVarianceComponentsByHand(t *testing.T) {
	c := VarianceComponents([]LongRun{{N: 100, Mean: 1, LRV: 2}, {N: 100, Mean: 2, LRV: 4}, {N: 200, Mean: 3, LRV: 6}})
	near(t, "of means", c.OfMeans, 1, 1e-14)
	near(t, "within", c.Within, (0.02+0.04+0.03)/3, 1e-14)
	near(t, "between", c.Between, 0.97, 1e-14)
	near(t, "LRV", c.LRV, 4, 1e-14)
	quiet := VarianceComponents([]LongRun{{N: 10, Mean: 1, LRV: 50}, {N: 10, Mean: 1.1, LRV: 50}})
	near(t, "between, when all noise is within", quiet.Between, 0, 0)
	near(t, "optimal length then", quiet.OptimalLength(120), math.Inf(1), 0)
	near(t, "components of one trial", VarianceComponents(make([]LongRun, 1)).Between, math.NaN(), 0)
}

// Optimal trial lengths in seconds; CV and rho of seconds, SD of restarts, and
// restarts that cost 120 and 300 s.
func TestOptimalLength(t *testing.T) {
	for _, c := range []struct{ cv, rho, run, at120, at300 float64 }{
		{0.02, 0.6, 0.01, 44, 69}, {0.05, 0.6, 0.005, 219, 346}, {0.05, 0.6, 0.01, 110, 173}, {0.10, 0.9, 0.01, 477, 755},
	} {
		k := Components{LRV: c.cv * c.cv * (1 + c.rho) / (1 - c.rho), Between: c.run * c.run}
		near(t, "length for 120 s", k.OptimalLength(120), c.at120, 0.01)
		near(t, "length for 300 s", k.OptimalLength(300), c.at300, 0.01)
	}
}
