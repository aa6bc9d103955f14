package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// threeLayers is a throughput, log scale, that is latency-bound or CPU-bound by
// degrees, so that the layers' effects do not add up: layer 0 costs CPU, 1 a
// round trip and some CPU, 2 storage latency.
func threeLayers() []float64 {
	cells := make([]float64, 8)
	for s := range cells {
		cpu, latency := 400.0, 560.0
		if s&1 != 0 {
			cpu *= 1.06
		}
		if s&2 != 0 {
			cpu *= 1.03
			latency += 360
		}
		if s&4 != 0 {
			latency += 80
		}
		byLatency, byCPU := 16e6/(cpu+latency), 10e6/cpu
		cells[s] = math.Log(math.Pow(math.Pow(byLatency, -6)+math.Pow(byCPU, -6), -1.0/6))
	}
	return cells
}

// noisyRounds measures cells in rounds, each with its own level.
func noisyRounds(rng *rand.Rand, cells []float64, rounds int, sd float64) [][]float64 {
	out := make([][]float64, rounds)
	for b := range out {
		level := 0.03 * rng.NormFloat64()
		for _, c := range cells {
			out[b] = append(out[b], c+level+sd*rng.NormFloat64())
		}
	}
	return out
}

func newFactorial(t *testing.T, k int, feasible func(int) bool) *Factorial {
	t.Helper()
	f, err := NewFactorial(k, feasible)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestC08Attribution(t *testing.T) {
	t.Parallel()
	f := newFactorial(t, 3, nil)
	truth := threeLayers()
	phi := f.Shapley(truth)
	t.Run("Shapley interval", func(t *testing.T) {
		calibration{sims: simulations(4000, 20000), seed: 108, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				rounds := noisyRounds(rng, truth, 10, 0.005)
				// Broken: the step of one ladder, 0 then 1 then 2, read as layer 0's cost.
				step := overRounds(rounds, func(c []float64) float64 { return c[1] - c[0] })
				own := overRounds(rounds, func(c []float64) float64 { return f.Shapley(c)[0] })
				return missesMean(own, phi[0]), missesMean(step, phi[0])
			}}.run(t)
	})
	t.Run("dummy factor", func(t *testing.T) {
		dummy := make([]float64, 16) // the fourth layer is a label
		for s := range dummy {
			dummy[s] = truth[s&7]
		}
		f := newFactorial(t, 4, nil)
		calibration{sims: simulations(4000, 20000), seed: 208, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				rounds := noisyRounds(rng, dummy, 10, 0.01)
				own := overRounds(rounds, func(c []float64) float64 { return f.Shapley(c)[3] })
				// Broken: the label matters if it does in some ladder, and there are eight
				// places at which it can be added.
				somewhere := false
				for s := range 8 {
					step := overRounds(rounds, func(c []float64) float64 { return c[s|8] - c[s] })
					somewhere = somewhere || missesMean(step, 0)
				}
				return missesMean(own, 0), somewhere
			}}.run(t)
	})
	t.Run("share", func(t *testing.T) {
		calibration{sims: simulations(4000, 20000), seed: 308, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				rounds := noisyRounds(rng, truth, 10, 0.01)
				own := overRounds(rounds, func(c []float64) float64 { return f.Shapley(c)[0] })
				step := overRounds(rounds, func(c []float64) float64 { return c[1] - c[0] })
				total := overRounds(rounds, func(c []float64) float64 { return c[7] - c[0] })
				whose := phi[0] / (truth[7] - truth[0])
				wrong := func(r Ratio) bool { return !r.Bounded || whose < r.Lo || whose > r.Hi }
				return wrong(Fieller(own, total, 0.05, Independent)), wrong(Fieller(step, total, 0.05, Independent))
			}}.run(t)
	})
}

// TestC08Returned: what removing one layer returns, and what two layers cost beyond what they
// cost one after the other, in points of the baseline. Both layers halve the throughput, and
// together they cost a tenth more. Broken: the log-ratio times the factor of the total.
func TestC08Returned(t *testing.T) {
	t.Parallel()
	f := newFactorial(t, 2, nil)
	half, more := math.Log(0.5), math.Log(0.9)
	truth := []float64{0, half, half, 2*half + more}
	points := percentCells(truth)
	attributed := func(rng *rand.Rand) (rounds [][]float64, a Attribution, factor float64) {
		rounds = noisyRounds(rng, truth, 8, 0.03)
		a, err := f.Attribute(rounds, nil, Independent)
		if err != nil {
			t.Error(err)
		}
		return rounds, a, PercentPerLog(a.Total.Mean)
	}
	t.Run("returned", func(t *testing.T) {
		calibration{sims: simulations(4000, 20000), seed: 508, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				rounds, a, factor := attributed(rng)
				whole := points[2] - points[3]
				old := overRounds(rounds, func(c []float64) float64 { return factor * (c[2] - c[3]) })
				return missesMean(a.Factors[0].BackByRound, whole), missesMean(old, whole)
			}}.run(t)
	})
	t.Run("interaction", func(t *testing.T) {
		calibration{sims: simulations(4000, 20000), seed: 608, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				rounds, a, factor := attributed(rng)
				whole := points[3] - points[1]*points[2]/100
				old := overRounds(rounds, func(c []float64) float64 { return factor * (c[3] - c[2] - c[1] + c[0]) })
				x := a.Interactions[0]
				return whole < x.Lo95 || whole > x.Hi95, missesMean(old, whole)
			}}.run(t)
	})
}

// What a layer's cost takes, in variance times arms: by the sum of its squared Shapley
// weights, 4.4 for three layers. The broken control, measured on noise alone, is a
// ladder's step: 2 for each of its arms.
func TestC08Precision(t *testing.T) {
	t.Parallel()
	for k, want := range map[int]float64{2: 4.0, 3: 4.4, 4: 5.3, 5: 6.8} {
		f := newFactorial(t, k, nil)
		var v float64
		f.eachStep(func(s, i int) {
			if i == 0 {
				w := f.weights[s*k]
				v += 2 * w * w
			}
		})
		exact := v * float64(f.Cells())
		noise := noisyRounds(rand.New(rand.NewPCG(408, uint64(k))), make([]float64, f.Cells()), 4000, 1)
		cell := float64(f.Cells()) * Variance(overRounds(noise, func(c []float64) float64 { return f.Shapley(c)[0] }))
		ladder := float64(k+1) * Variance(overRounds(noise, func(c []float64) float64 { return c[1] - c[0] }))
		t.Logf("%d layers: variance times cells %.2f, of 4000 rounds %.2f; of a ladder %.2f", k, exact, cell, ladder)
		near(t, fmt.Sprintf("Shapley variance x cells for %d factors", k), exact, want, 0.015)
		near(t, fmt.Sprintf("the same of rounds, %d factors", k), cell/exact, 1, 0.1)
		if ladder < 1.2*want {
			t.Errorf("%d layers: a ladder takes %.2f, hardly more than %.2f: this simulation cannot tell right from wrong", k, ladder, want)
		}
	}
}
