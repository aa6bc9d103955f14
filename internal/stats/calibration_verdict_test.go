package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// peeks reports whether the plain t interval excludes 0 at any look from the
// first round on: "run until significant".
func peeks(x []float64, first int) bool {
	for n := first; n <= len(x); n++ {
		if missesMean(x[:n], 0) {
			return true
		}
	}
	return false
}

func TestC05Stopping(t *testing.T) {
	t.Parallel()
	levels, err := LookLevels([]float64{8.0 / 20, 14.0 / 20, 1}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	sims := simulations(4000, 20000)
	t.Run("Stein", func(t *testing.T) {
		t.Parallel()
		calibration{sims: sims, seed: 105, lo: 0.05, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				x := normals(rng, 400, 0, 1)
				n := min(RoundsFor(SD(x[:8]), 0.5, 8), len(x))
				return misses(0)(SteinInterval(x[:n], 8, 0.05)), peeks(x[:40], 5)
			}}.run(t)
	})
	t.Run("three looks", func(t *testing.T) {
		t.Parallel()
		calibration{sims: sims, seed: 205, lo: 0.05, hi: 0.054, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				x := normals(rng, 20, 0, 1)
				stopped, naive := false, false
				for k, n := range []int{8, 14, 20} {
					stopped = stopped || misses(0)(TInterval(x[:n], levels[k]))
					naive = naive || missesMean(x[:n], 0)
				}
				return stopped, naive
			}}.run(t)
	})
	t.Run("confidence sequence", func(t *testing.T) {
		t.Parallel()
		calibration{sims: sims, seed: 305, lo: 0, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				x := normals(rng, 40, 0, 1)
				left := false
				for n := 2; n <= len(x); n++ {
					left = left || misses(0)(ConfidenceSequence(x[:n], 0.05, DefaultMixture))
				}
				return left, peeks(x, 5)
			}}.run(t)
	})
}

// family draws rounds of a baseline, the first column, and of an arm for each of the noises,
// with the standard deviations given, about a level that a round's arms share.
func family(rng *rand.Rand, rounds int, noises ...float64) [][]float64 {
	y := make([][]float64, rounds)
	for b := range y {
		y[b] = make([]float64, len(noises))
		level := rng.NormFloat64()
		for k, sd := range noises {
			y[b][k] = level + sd*rng.NormFloat64()
		}
	}
	return y
}

// anyMisses reports whether any interval of a family misses its truth of 0, by the method
// and when each half-width is h standard errors instead.
func anyMisses(y [][]float64, h float64) (method, other bool) {
	arms := len(y[0]) - 1
	for k := 1; k <= arms; k++ {
		d := againstBaseline(y, k)
		method = method || misses(0)(TInterval(d, 0.05/float64(arms)))
		other = other || math.Abs(Mean(d)) > h*SD(d)/math.Sqrt(float64(len(d)))
	}
	return method, other
}

func TestC09FamilyWise(t *testing.T) {
	t.Parallel()
	for _, arms := range []int{2, 4, 8} {
		t.Run(fmt.Sprintf("arms=%d", arms), func(t *testing.T) {
			t.Parallel()
			noises := slices.Repeat([]float64{0.01}, arms+1)
			single := tQuantile(0.975, 9) // the control: no adjustment
			calibration{sims: simulations(2500, 10000), seed: 109, lo: 0.035, hi: 0.05, control: arms > 2,
				simulate: func(rng *rand.Rand) (bool, bool) { return anyMisses(family(rng, 10, noises...), single) }}.run(t)
		})
	}
}

// TestC09UnequalVariances: one arm, or the baseline, is noisier than the others. The control
// shuffles residuals between arms.
func TestC09UnequalVariances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		noises []float64 // the baseline's first
		broken bool
	}{
		{"one arm 5 times", []float64{1, 1, 1, 1, 5}, true},
		{"one arm 10 times", []float64{1, 1, 1, 1, 10}, true},
		{"0.5, 1, 2, 5, 10", []float64{1, 0.5, 1, 2, 5, 10}, true},
		{"baseline 10 times", []float64{10, 1, 1, 1, 1}, false}, // all contrasts share its noise, so any method's residuals show it
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lo := 0.025 // contrasts that share most of their noise err together
			if c.noises[0] > 1 {
				lo = 0.01
			}
			calibration{sims: simulations(1000, 10000), seed: 609, lo: lo, hi: 0.05, control: c.broken,
				simulate: func(rng *rand.Rand) (bool, bool) {
					y := family(rng, 8, c.noises...)
					return anyMisses(y, maxT(y, 199, rng.Uint64()))
				}}.run(t)
		})
	}
}

// TestC09Width is what it costs not to use the correlation of arms that share a baseline,
// where variances are equal and shuffling is right.
func TestC09Width(t *testing.T) {
	t.Parallel()
	for _, arms := range []int{2, 4, 8} {
		noises := slices.Repeat([]float64{1}, arms+1)
		var wider float64
		n := simulations(60, 400)
		for i := range n {
			rng := rand.New(rand.NewPCG(709, uint64(i)))
			wider += tQuantile(1-0.025/float64(arms), 7) / maxT(family(rng, 8, noises...), 999, rng.Uint64()) / float64(n)
		}
		t.Logf("%d arms, 8 rounds: Bonferroni intervals are %.1f %% wider than those of the largest |t|", arms, 100*(wider-1))
		if wider > 1.06 {
			t.Errorf("%d arms: %.1f %% wider", arms, 100*(wider-1))
		}
	}
}

func TestC09BonferroniAndHolm(t *testing.T) {
	t.Parallel()
	const arms = 4
	calibration{sims: simulations(2000, 20000), seed: 209, lo: 0.03, hi: 0.05, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			p := make([]float64, arms)
			family, single := false, false
			baseline := normals(rng, 10, 0, 1)
			for k := range p {
				d := normals(rng, 10, 0, 1)
				for b := range d {
					d[b] -= baseline[b]
				}
				r := PairedTFamily(d, arms)
				p[k] = tTwoSided(r.Mean/r.SD*math.Sqrt(10), 9)
				family = family || r.Lo95 > 0 || r.Hi95 < 0
				single = single || p[k] < 0.05
			}
			holm := false
			for _, v := range Holm(p) {
				holm = holm || v <= 0.05
			}
			if holm != family {
				t.Errorf("Holm %v and Bonferroni %v disagree on the first rejection", holm, family)
			}
			return holm, single
		}}.run(t)
}

// "Equivalent" at the edge of the margin, and a direction that is wrong, may
// each happen one time in 20 and one in 40.
func TestC09Verdicts(t *testing.T) {
	t.Parallel()
	const margin = 0.01
	calibration{sims: simulations(4000, 20000), seed: 309, lo: 0.04, hi: 0.05, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x := normals(rng, 16, -margin, 0.008)
			// Broken: "no significant difference, so they are equal".
			return TOST(x, margin) <= 0.05, !missesMean(normals(rng, 4, -margin, 0.008), 0)
		}}.run(t)
	n := simulations(4000, 20000)
	wrong := share(n, 409, func(rng *rand.Rand) bool { return PairedT(normals(rng, 10, -0.001, 0.01)).Lo95 > 0 })
	t.Logf("%d simulations: a loss is called a gain in %.2f %%", n, 100*wrong)
	if _, most := band(n, 0, 0.025); wrong > most {
		t.Errorf("a loss is called a gain in %.2f %%", 100*wrong)
	}
}

// pearsonP is the two-sided t test of the linear correlation.
func pearsonP(x, y []float64) float64 {
	r := covariance(x, y) / (SD(x) * SD(y))
	df := float64(len(x) - 2)
	return tTwoSided(r*math.Sqrt(df/(1-r*r)), df)
}

func TestC10Screening(t *testing.T) {
	t.Parallel()
	for _, n := range []int{6, 7, 8} {
		t.Run(fmt.Sprintf("exact test,arms=%d", n), func(t *testing.T) {
			// Few orders: the exact size at 5 % is .033, .048 and .046.
			calibration{sims: simulations(2000, 10000), seed: 110, lo: 0.033, hi: 0.05,
				simulate: func(rng *rand.Rand) (bool, bool) {
					_, p := Spearman(normals(rng, n, 0, 1), normals(rng, n, 0, 1))
					return p <= 0.05, false
				}}.run(t)
		})
		t.Run(fmt.Sprintf("one bad arm,arms=%d", n), func(t *testing.T) {
			calibration{sims: simulations(1500, 6000), seed: 210, lo: 0, hi: 0.06, control: true,
				simulate: func(rng *rand.Rand) (bool, bool) {
					x, y := normals(rng, n, 0, 1), normals(rng, n, 0, 1)
					x[0] += 8
					y[0] += 8
					return SpearmanWithoutOne(x, y) <= 0.05, pearsonP(x, y) < 0.05
				}}.run(t)
		})
	}
	t.Run("forty metrics", func(t *testing.T) {
		calibration{sims: simulations(1500, 6000), seed: 310, lo: 0.015, hi: 0.05, control: true,
			simulate: func(rng *rand.Rand) (bool, bool) {
				metrics, y := unrelated(rng, 8)
				naive := false
				for _, x := range metrics {
					naive = naive || pearsonP(x, y) < 0.05
				}
				return anyBelow(t, metrics, y, rng.Uint64()), naive
			}}.run(t)
	})
	// Six arms have 720 orders; the best of 40 metrics is in perfect order by
	// chance more often than 1 time in 20, so nothing can be found.
	t.Run("forty metrics over six arms find nothing", func(t *testing.T) {
		found := share(simulations(300, 1000), 410, func(rng *rand.Rand) bool {
			metrics, y := unrelated(rng, 6)
			metrics[0] = y
			return anyBelow(t, metrics, y, rng.Uint64())
		})
		t.Logf("a perfect order among 40 metrics over 6 arms passes %.1f %% of the time", 100*found)
		if found > 0.02 {
			t.Errorf("a perfect order among 40 metrics over 6 arms passes %.1f %% of the time", 100*found)
		}
	})
}

// unrelated is 40 metrics that have nothing to do with y.
func unrelated(rng *rand.Rand, arms int) (metrics [][]float64, y []float64) {
	metrics = make([][]float64, 40)
	for m := range metrics {
		metrics[m] = normals(rng, arms, 0, 1)
	}
	return metrics, normals(rng, arms, 0, 1)
}

func anyBelow(t *testing.T, metrics [][]float64, y []float64, seed uint64) bool {
	found, err := Screen(metrics, y, 199, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found {
		if s.P <= 0.05 {
			return true
		}
	}
	return false
}

// Metric and throughput both depend on the arm but not on each other; the broken
// control correlates all trials as if arms were not there.
func TestC10WithinArms(t *testing.T) {
	t.Parallel()
	const rounds, arms = 12, 5
	draw := func(rng *rand.Rand, link float64) (x, y [][]float64) {
		for range rounds {
			level := rng.NormFloat64()
			rowX, rowY := normals(rng, arms, 0, 1), normals(rng, arms, level, 1)
			for a := range arms {
				rowY[a] -= link * rowX[a]
				rowX[a] += 3 * float64(a)
				rowY[a] -= 3 * float64(a)
			}
			x, y = append(x, rowX), append(y, rowY)
		}
		return x, y
	}
	within := func(rng *rand.Rand, x, y [][]float64) float64 {
		s, err := ScreenWithin([][][]float64{x}, y, 199, rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		return s[0].P
	}
	calibration{sims: simulations(3000, 10000), seed: 410, lo: 0.045, hi: 0.055, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x, y := draw(rng, 0)
			var flatX, flatY []float64
			for b := range x {
				flatX, flatY = append(flatX, x[b]...), append(flatY, y[b]...)
			}
			return within(rng, x, y) <= 0.05, pearsonP(flatX, flatY) < 0.05
		}}.run(t)
	power := share(simulations(300, 2000), 510, func(rng *rand.Rand) bool {
		x, y := draw(rng, 0.6)
		return within(rng, x, y) <= 0.05
	})
	t.Logf("a real link is found in %.1f %% of campaigns", 100*power)
	if power < 0.9 {
		t.Errorf("a real link is found in %.0f %% of campaigns, want 90 %%", 100*power)
	}
}

// carried is a campaign in which whatever runs after arm 2 is slower by effect SD.
func carried(rng *rand.Rand, rounds, arms int, effect, armStep float64) (y [][]float64, order [][]int) {
	previous := -1
	for range rounds {
		seq := rng.Perm(arms)
		row := normals(rng, arms, 3*rng.NormFloat64(), 1)
		for _, a := range seq {
			row[a] += armStep * float64(a)
			if previous == 2 {
				row[a] -= effect
			}
			previous = a
		}
		y, order = append(y, row), append(order, seq)
	}
	return y, order
}

func TestC13CarryOver(t *testing.T) {
	t.Parallel()
	detects := func(rng *rand.Rand, y [][]float64, order [][]int) bool {
		c, err := CarryOverTest(y, order, 199, rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		return c.P <= 0.05
	}
	calibration{sims: simulations(3000, 10000), seed: 113, lo: 0.035, hi: 0.055, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			y, order := carried(rng, 12, 3, 0, -3)
			// Broken: values instead of residuals. An arm never follows itself in a
			// round, so what an arm costs looks like what its predecessor left.
			raw, previous := make([]float64, 0, 36), make([]int, 0, 36)
			last := -1
			for b, seq := range order {
				for _, a := range seq {
					if last >= 0 {
						raw, previous = append(raw, y[b][a]-Mean(y[b])), append(previous, last)
					}
					last = a
				}
			}
			between := betweenSquares(raw, previous, 3)
			f := fRatio(raw, between, 3)
			return detects(rng, y, order), f > 3.29 // F(.95; 2, 32)
		}}.run(t)
	for effect, want := range map[float64][2]float64{1: {0.30, 0.45}, 2: {0.85, 1}, 3: {0.97, 1}} {
		n := simulations(600, 4000)
		power := share(n, 213, func(rng *rand.Rand) bool {
			y, order := carried(rng, 12, 3, effect, -3)
			return detects(rng, y, order)
		})
		t.Logf("a carry-over of %v SD is found in %.1f %%", effect, 100*power)
		if least, most := band(n, want[0], want[1]); power < least || power > most {
			t.Errorf("a carry-over of %v SD is found in %.0f %%, want %.0f to %.0f", effect, 100*power, 100*want[0], 100*want[1])
		}
	}
}
