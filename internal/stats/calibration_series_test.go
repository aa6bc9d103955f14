package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// circularBootstrap is the block bootstrap interval for the mean of x, with the
// textbook block length of the cube root of n.
func circularBootstrap(rng *rand.Rand, x []float64) (lo, hi float64) {
	n := len(x)
	block := int(math.Ceil(math.Cbrt(float64(n))))
	sums := make([]float64, 2*n+1)
	for i := range 2 * n {
		sums[i+1] = sums[i] + x[i%n]
	}
	means := make([]float64, 199)
	for m := range means {
		var sum float64
		for range n / block {
			i := rng.IntN(n)
			sum += sums[i+block] - sums[i]
		}
		means[m] = sum / float64(n/block*block)
	}
	return Quantile(means, 0.025), Quantile(means, 0.975)
}

func misses(truth float64) func(lo, hi float64) bool {
	return func(lo, hi float64) bool { return truth < lo || truth > hi }
}

func TestC04WithinTrial(t *testing.T) {
	t.Parallel()
	miss := misses(100)
	broken := map[string]func(rng *rand.Rand, x []float64) (lo, hi float64){
		"seconds as replicates": func(_ *rand.Rand, x []float64) (float64, float64) { return TInterval(x, 0.05) },
		"block bootstrap":       circularBootstrap,
	}
	for _, c := range []struct {
		rho    float64
		broken string
	}{{0, ""}, {0.3, "seconds as replicates"}, {0.6, "seconds as replicates"}, {0.6, "block bootstrap"}} {
		t.Run(fmt.Sprintf("EWC,rho=%v,%s", c.rho, c.broken), func(t *testing.T) {
			calibration{sims: simulations(3000, 20000), seed: 104, lo: 0.045, hi: 0.057, control: c.broken != "",
				simulate: func(rng *rand.Rand) (bool, bool) {
					x := autoregressive(rng, 300, 100, 3, c.rho)
					lo, hi := EWC(x).Interval(0.05)
					return miss(lo, hi), c.broken != "" && miss(broken[c.broken](rng, x))
				}}.run(t)
		})
	}
	t.Run("batch means,rho=0.6", func(t *testing.T) {
		calibration{sims: simulations(3000, 20000), seed: 204, lo: 0.05, hi: 0.063, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				x := autoregressive(rng, 300, 100, 3, 0.6)
				return miss(BatchMeans(x, 10).Interval(0.05)), miss(BatchMeans(x, 100).Interval(0.05))
			}}.run(t)
	})
	t.Run("rho=0.9,ten minutes", func(t *testing.T) {
		calibration{sims: simulations(2000, 10000), seed: 304, lo: 0.05, hi: 0.08, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				x := autoregressive(rng, 600, 100, 3, 0.9)
				r := EWC(x)
				r.ESS = minESS // 32 on average: the gate would hide half of the windows
				return miss(r.Interval(0.05)), miss(circularBootstrap(rng, x))
			}}.run(t)
	})
}

// looksSteady is a common test for a window that may be used: ten values in a row
// whose coefficient of variation is below 2 % (Georges, Buytaert & Eeckhout, OOPSLA
// 2007). Values that follow each other are alike; how few they are worth, it never asks.
func looksSteady(x []float64) bool {
	for i := range len(x) - 9 {
		if w := x[i : i+10]; SD(w) < 0.02*Mean(w) {
			return true
		}
	}
	return false
}

// A window of two minutes at rho .9 has the worth of six values; no interval may
// be shown. One of five minutes at rho .6 has 75 and must pass.
func TestC04Gate(t *testing.T) {
	t.Parallel()
	n := simulations(1000, 5000)
	steady := 0
	refused := share(n, 404, func(rng *rand.Rand) bool {
		x := autoregressive(rng, 120, 100, 3, 0.9)
		steady += count(looksSteady(x))
		return !EWC(x).LongEnough()
	})
	control := 1 - float64(steady)/float64(n)
	t.Logf("%d simulations each: %.2f %% of windows that are too short refused, ten steady values refuse %.2f %%", n, 100*refused, 100*control)
	if refused < 0.95 {
		t.Errorf("the gate refuses %.1f %% of windows that are too short, want 95 %%", 100*refused)
	}
	if control >= 0.95 {
		t.Errorf("the broken control refuses %.1f %% of them: this simulation cannot tell right from wrong", 100*control)
	}
	refused = share(n, 504, func(rng *rand.Rand) bool { return !EWC(autoregressive(rng, 300, 100, 3, 0.6)).LongEnough() })
	t.Logf("%.2f %% of windows that are long enough refused", 100*refused)
	if refused > 0.02 {
		t.Errorf("the gate refuses %.1f %% of windows that are long enough, want 2 %%", 100*refused)
	}
}

// bicFindsChange is the first cut that PELT makes with the usual penalty of
// 2 ln n and the variance of independent values.
func bicFindsChange(x []float64) bool {
	n := float64(len(x))
	c := withoutMean(x)
	v := Variance(x)
	var sum, best float64
	for i := range len(c) - 2 {
		sum += c[i]
		if k := float64(i + 1); k >= 2 {
			best = math.Max(best, sum*sum*n/(k*(n-k))/v)
		}
	}
	return best > 2*math.Log(n)
}

func TestC06Regimes(t *testing.T) {
	t.Parallel()
	detects := func(x []float64) bool {
		stat, _ := SelfNormalised(x)
		return stat > SelfNormalised5
	}
	for _, c := range []struct {
		n      int
		rho    float64
		lo, hi float64
	}{{300, 0, 0.045, 0.055}, {300, 0.6, 0.04, 0.08}, {1800, 0.9, 0.04, 0.08}} {
		t.Run(fmt.Sprintf("n=%d,rho=%v", c.n, c.rho), func(t *testing.T) {
			calibration{sims: simulations(2000, 10000), seed: 106, lo: c.lo, hi: c.hi, control: c.rho > 0,
				simulate: func(rng *rand.Rand) (bool, bool) {
					x := autoregressive(rng, c.n, 100, 3, c.rho)
					return detects(x), bicFindsChange(x)
				}}.run(t)
		})
	}
	t.Run("E-divisive on seconds is no substitute", func(t *testing.T) {
		n := simulations(60, 400)
		if raceEnabled {
			n = 20
		}
		rate := share(n, 206, func(rng *rand.Rand) bool {
			return len(EDivisive(autoregressive(rng, 300, 100, 3, 0.6), 0.05, 19, 1)) > 0
		})
		t.Logf("%d simulations: alarms in %.1f %%", n, 100*rate)
		if rate < 0.4 {
			t.Errorf("E-divisive alarms in %.0f %% of stationary series, expected about 70 %%: the warning is out of date", 100*rate)
		}
	})
}

// cautiousFindsChange is the first cut of PELT on mean and variance with a penalty of
// 15 ln n (Barrett and others, OOPSLA 2017): large enough that correlated seconds
// raise no false alarm, and too large to see much else.
func cautiousFindsChange(x []float64) bool {
	n := len(x)
	sum, square := make([]float64, n+1), make([]float64, n+1)
	for i, v := range x {
		sum[i+1], square[i+1] = sum[i]+v, square[i]+v*v
	}
	cost := func(from, to int) float64 {
		m := float64(to - from)
		mean := (sum[to] - sum[from]) / m
		return m * math.Log(math.Max((square[to]-square[from])/m-mean*mean, 1e-12))
	}
	best := math.Inf(1)
	for k := 2; k <= n-2; k++ {
		best = math.Min(best, cost(0, k)+cost(k, n))
	}
	return cost(0, n)-best > 15*math.Log(float64(n))
}

func TestC06Power(t *testing.T) {
	t.Parallel()
	slack := 0.05 + 0.1*float64(count(raceEnabled))
	for step, want := range map[float64]float64{2: 0.60, 3: 0.92, 5: 1} {
		var off []float64
		cautious, sims := 0, simulations(1000, 4000)
		rate := share(sims, 306, func(rng *rand.Rand) bool {
			x := autoregressive(rng, 300, 100, 3, 0.6)
			for s := range x[150:] {
				x[150+s] -= step
			}
			cautious += count(cautiousFindsChange(x))
			stat, at := SelfNormalised(x)
			if stat > SelfNormalised5 {
				off = append(off, math.Abs(float64(at-150)))
			}
			return stat > SelfNormalised5
		})
		control := float64(cautious) / float64(sims)
		near(t, fmt.Sprintf("power for a step of %v %%", step), rate, want, slack)
		m := Mean(off)
		t.Logf("a step of %v %% is found in %.1f %%, %.0f s off on average; by PELT with 15 ln n in %.1f %%", step, 100*rate, m, 100*control)
		if m > 28/step*2 {
			t.Errorf("a step of %v %% is found %.0f s off on average", step, m)
		}
		if step < 5 && control >= want-slack {
			t.Errorf("the broken control finds a step of %v %% in %.1f %%: this simulation cannot tell right from wrong", step, 100*control)
		}
	}
}

// transients are what a trial of 60 s warm-up and 120 s window may show, in %
// of its level, by second from the start.
func transients() map[string]func(s float64) float64 {
	return map[string]func(s float64) float64{
		"stationary":    func(float64) float64 { return 0 },
		"warm-up 60 s":  func(s float64) float64 { return -20 * math.Exp(-s/60) },
		"warm-up 200 s": func(s float64) float64 { return -20 * math.Exp(-s/200) },
		"late step":     func(s float64) float64 { return -8 * float64(count(s > 140)) },
	}
}

func TestC07SteadyState(t *testing.T) {
	t.Parallel()
	shape := transients()
	flagged := func(name string, n int) float64 {
		return share(n, 107, func(rng *rand.Rand) bool {
			d := make([]float64, 10)
			for i := range d {
				x := autoregressive(rng, 180, 100, 5, 0.6)
				for s := range x {
					x[s] += shape[name](float64(s))
				}
				d[i] = HalfDrift(x[60:])
			}
			return DriftOf(d).Flagged
		})
	}
	for _, name := range []string{"warm-up 60 s", "warm-up 200 s", "late step"} {
		got := flagged(name, simulations(500, 4000))
		t.Logf("%s: %.2f %% of campaigns flagged", name, 100*got)
		if got < 0.9 {
			t.Errorf("%s: %.1f %% of campaigns flagged, want 90 %%", name, 100*got)
		}
	}
	n := simulations(3000, 20000)
	least, most := band(n, 0.007, 0.012)
	got := flagged("stationary", n)
	t.Logf("stationary: %.2f %% of %d campaigns flagged, allowed %.2f to %.2f", 100*got, n, 100*least, 100*most)
	if got < least || got > most {
		t.Errorf("stationary: %.2f %% of campaigns flagged, allowed %.2f to %.2f", 100*got, 100*least, 100*most)
	}
}

// The broken control of C07: MSER alone finds most transients settled.
func TestC07MSERIsBlind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape    func(s float64) float64
		lo, hi   float64 // share accepted as settled
		biasLess float64 // and the bias, %, that is left after its cut
	}{
		"short warm-up": {func(s float64) float64 { return -20 * math.Exp(-s/20) }, 0.97, 1, 0.2},
		"slow warm-up":  {func(s float64) float64 { return -20 * math.Exp(-s/200) }, 0.60, 0.78, 3},
		"late drop":     {func(s float64) float64 { return -8 * float64(count(s >= 400)) }, 0, 0.10, 9},
		"slow drift":    {func(s float64) float64 { return -5 * s / 600 }, 0.95, 1, 3.2},
	} {
		var left []float64
		accepted := share(simulations(500, 4000), 207, func(rng *rand.Rand) bool {
			x := autoregressive(rng, 600, 100, 3, 0.6)
			for s := range x {
				x[s] += c.shape(float64(s))
			}
			cut, settled := MSER(x, 5)
			left = append(left, Mean(x[cut:])-100)
			return settled
		})
		t.Logf("%s: MSER accepts %.1f %% and leaves a bias of %.2f %%", name, 100*accepted, math.Abs(Mean(left)))
		if accepted < c.lo || accepted > c.hi {
			t.Errorf("%s: MSER accepts %.0f %%, expected %.0f to %.0f", name, 100*accepted, 100*c.lo, 100*c.hi)
		}
		if b := math.Abs(Mean(left)); b > c.biasLess {
			t.Errorf("%s: MSER leaves a bias of %.2f %%, want below %.2f", name, b, c.biasLess)
		}
	}
}
