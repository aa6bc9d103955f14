package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// halfWidthOfRounds is what a contrast has: Student's interval, or the wider one where the
// rounds depend on each other.
func halfWidthOfRounds(x []float64, seed uint64) (half float64, noticed bool) {
	half = tQuantile(0.975, float64(len(x)-1)) * SD(x) / math.Sqrt(float64(len(x)))
	s, err := SerialDependence(x, 399, seed)
	if noticed = err == nil && s.P <= 0.05; noticed {
		half = math.Max(half, DependentHalfWidth(x, 0.05))
	}
	return half, noticed
}

// TestC22SerialRounds: contrasts whose rounds are an autoregression, as when one arm drifts. Counted
// are intervals that miss without a word: the dependence was not noticed, so Student's interval
// stands. The broken control is Student's interval alone. With coefficient 0 the test errs at its
// level, and an interval misses in 5 %.
func TestC22SerialRounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rounds  int
		rho     float64
		lo, hi  float64 // misses without a word
		noticed [2]float64
	}{
		{8, 0, 0.045, 0.05, [2]float64{0.045, 0.055}}, {20, 0, 0.04, 0.05, [2]float64{0.045, 0.055}},
		{8, 0.5, 0.17, 0.21, [2]float64{0.19, 0.25}}, {8, 0.9, 0.33, 0.39, [2]float64{0.46, 0.52}},
		{20, 0.5, 0.08, 0.12, [2]float64{0.61, 0.67}}, {20, 0.9, 0.01, 0.04, [2]float64{0.94, 0.98}},
	} {
		t.Run(fmt.Sprintf("%d rounds, coefficient %v", c.rounds, c.rho), func(t *testing.T) {
			noticed, wide := 0, 0
			sims := simulations(1000, 4000)
			calibration{sims: sims, seed: 122, lo: c.lo, hi: c.hi, control: c.rho > 0.5 || c.rho > 0 && c.rounds > 8,
				simulate: func(rng *rand.Rand) (bool, bool) {
					x := autoregressive(rng, c.rounds, 0, 1, c.rho)
					half, found := halfWidthOfRounds(x, 22)
					misses := math.Abs(Mean(x)) > half
					noticed += count(found)
					wide += count(found && misses)
					return misses && !found, missesMean(x, 0)
				}}.run(t)
			rate := float64(noticed) / float64(sims)
			t.Logf("noticed in %.1f %%; of these intervals %.1f %% miss; SerialNoticed %.1f %%", 100*rate, 100*float64(wide)/float64(max(1, noticed)), 100*SerialNoticed(c.rounds, c.rho))
			if least, most := band(sims, c.noticed[0], c.noticed[1]); rate < least || rate > most {
				t.Errorf("noticed in %.1f %%, want %.0f to %.0f", 100*rate, 100*c.noticed[0], 100*c.noticed[1])
			}
			if float64(wide) > 0.08*float64(noticed)+3.29*math.Sqrt(0.08*float64(noticed)) {
				t.Errorf("%d of %d widened intervals miss", wide, noticed)
			}
			said := SerialNoticed(c.rounds, c.rho) // of 1,000 series
			if chance := 3.29 * math.Sqrt(said*(1-said)*(1/float64(sims)+1./1000)); !(math.Abs(said-rate) <= chance) {
				t.Errorf("SerialNoticed %.3f, %.3f were noticed", said, rate)
			}
		})
	}
}

// starts are log-ratios of rounds with noise of 2 %, where a start of either server is at half of its
// speed with the given probability: a mode of both arms, so that the truth is 0.
func starts(rng *rand.Rand, rounds int, share float64) (x []float64, slow int) {
	x = make([]float64, rounds)
	for i := range x {
		x[i] = 0.02 * rng.NormFloat64()
		if rng.Float64() < share {
			x[i] += math.Log(0.5)
			slow++
		}
	}
	return x, slow
}

// TestC23StartModes: where no start has another mode, two kinds of rounds are seen in at most 2 %; the
// broken control takes the largest of eight values beyond two standard deviations for one. One slow
// start in 10 is absent from (1-.1)^n of the runs of n rounds, and found in the others.
func TestC23StartModes(t *testing.T) {
	t.Parallel()
	test := NewTwoStatesTest(23)
	calibration{sims: simulations(2000, 20000), seed: 123, lo: 0.01, hi: 0.02, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x := normals(rng, 8, 0, 1)
			naive := false
			for _, v := range x {
				naive = naive || math.Abs(v-Mean(x)) > 2*SD(x)
			}
			return StartModesOf(x, test).Found, naive
		}}.run(t)
	for _, rounds := range []int{8, 20} {
		sims := simulations(1000, 10000)
		present, found, silent, misses := 0, 0, 0, 0
		truth := 0.1 * math.Log(0.5)
		for i := range sims {
			x, slow := starts(rand.New(rand.NewPCG(223, uint64(i))), rounds, 0.1)
			m, miss := StartModesOf(x, test), missesMean(x, truth)
			present += count(slow > 0)
			found += count(m.Found && slow > 0)
			misses += count(miss)
			silent += count(miss && !m.Found)
		}
		t.Logf("%d rounds: a slow start in %.1f %% of runs, found in %.1f %% of these; Student's interval misses in %.1f %%, without a word in %.1f %%", rounds,
			100*float64(present)/float64(sims), 100*float64(found)/float64(present), 100*float64(misses)/float64(sims), 100*float64(silent)/float64(sims))
		if float64(found) < 0.95*float64(present) {
			t.Errorf("%d rounds: slow starts are found in %d of %d runs that have one", rounds, found, present)
		}
		absent := math.Pow(0.9, float64(rounds))
		if _, most := band(sims, 0, absent+0.01); float64(silent)/float64(sims) > most {
			t.Errorf("%d rounds: %d of %d intervals miss without a word, and the mode is absent from %.0f %%", rounds, silent, sims, 100*absent)
		}
	}
}

func TestStartModes(t *testing.T) {
	test := NewTwoStatesTest(1)
	one := []float64{0.01, 0.02, -0.7, 0, 0.015, -0.01, 0.005, 0}
	m := StartModesOf(one, test)
	if !m.Found || len(m.Fewer) != 1 || m.Fewer[0] != 2 {
		t.Errorf("one slow start: %+v", m)
	}
	near(t, "gap", m.Gap, -0.7057, 0.001)
	near(t, "lower bound of 1 in 8", m.Lo95, 0.0032, 0.0001) // R: binom.test(1, 8)
	near(t, "upper bound of 1 in 8", m.Hi95, 0.5265, 0.0001)
	two := []float64{0.7, 0, 0.01, 0.69, 0.02, -0.01, 0, 0.01}
	if m := StartModesOf(two, test); !m.Found || len(m.Fewer) != 2 || m.Fewer[0] != 0 || m.Fewer[1] != 3 || m.Gap < 0.6 {
		t.Errorf("two fast starts: %+v", m)
	}
	for name, x := range map[string][]float64{"five rounds": one[:5], "equal rounds": make([]float64, 8), "a round without a number": {1, 2, 3, 4, 5, math.NaN()}} {
		if m := StartModesOf(x, test); m.Found {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if lo, hi := ShareInterval(0, 10); lo != 0 || math.Abs(hi-0.3085) > 1e-4 {
		t.Errorf("none of 10: %v to %v", lo, hi)
	}
	if lo, hi := ShareInterval(10, 10); hi != 1 || math.Abs(lo-0.6915) > 1e-4 {
		t.Errorf("all of 10: %v to %v", lo, hi)
	}
}

func TestSerialDependence(t *testing.T) {
	rising := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	s, err := SerialDependence(rising, 1999, 1)
	if err != nil || s.P > 0.002 {
		t.Errorf("a ramp: %+v, %v", s, err)
	}
	near(t, "correlation of a ramp's neighbours", s.Rho, 0.625, 1e-9)
	if s, err := SerialDependence([]float64{1, -1, 1, -1, 1, -1, 1, -1}, 1999, 1); err != nil || s.P < 0.9 {
		t.Errorf("an alternation makes an interval too wide, not too narrow: %+v, %v", s, err)
	}
	if s, err := SerialDependence(make([]float64, 8), 99, 1); err != nil || s.P != 1 {
		t.Errorf("equal values: %+v, %v", s, err)
	}
	for name, x := range map[string][]float64{"five values": rising[:5], "not a number": {1, 2, 3, 4, 5, math.NaN()}} {
		if s, err := SerialDependence(x, 99, 1); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if h := DependentHalfWidth(rising[:2], 0.05); !math.IsNaN(h) {
		t.Errorf("two values have %v", h)
	}
	if h := DependentHalfWidth(make([]float64, 4), 0.05); h != 0 {
		t.Errorf("equal values have %v", h)
	}
	if p := SerialNoticed(5, 0.5); !math.IsNaN(p) {
		t.Errorf("five rounds notice %v", p)
	}
}
