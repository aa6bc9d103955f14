package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// levels is a noisy series whose level changes by the given amounts at the given
// places.
func levels(rng *rand.Rand, n int, rho float64, changes map[int]float64) []float64 {
	x := autoregressive(rng, n, 100, 1, rho)
	for from, by := range changes {
		for i := range x[from:] {
			x[from+i] += by
		}
	}
	return x
}

func TestRegimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	for name, changes := range map[string]map[int]float64{
		"staircase":      {200: -10, 450: -5},
		"there and back": {200: 10, 450: -10},
		"one step":       {200: 3},
		"nothing":        {},
	} {
		x := levels(rng, 600, 0.3, changes)
		cuts := Regimes(x, Scan1, 60)
		if len(cuts) != len(changes) {
			t.Errorf("%s: cuts at %v, want %v", name, cuts, changes)
		}
		for _, c := range cuts {
			close := 0
			for at := range changes {
				close += count(math.Abs(float64(at-c)) <= 10)
			}
			if close != 1 {
				t.Errorf("%s: cut at %d, want one of %v", name, c, changes)
			}
		}
	}
	if cuts := Regimes(levels(rng, 600, 0.3, map[int]float64{300: 10}), Scan1, 601); cuts != nil {
		t.Errorf("Regimes of a series that is too short to cut = %v", cuts)
	}
}

// A level that comes back: always found by the scan, never by the plain
// statistic, which is why the scan exists.
func TestScanFindsALevelThatComesBack(t *testing.T) {
	t.Parallel()
	plain, scan, steady := 0, 0, 0
	n := simulations(500, 4000)
	for i := range n {
		rng := rand.New(rand.NewPCG(217, uint64(i)))
		x := levels(rng, 300, 0.6, map[int]float64{100: -2, 200: 2})
		p, _ := SelfNormalised(x)
		s, _ := SelfNormalisedScan(x)
		quiet, _ := SelfNormalisedScan(levels(rng, 300, 0.6, nil))
		plain += count(p > SelfNormalised5)
		scan += count(s > Scan5)
		steady += count(quiet > Scan5)
	}
	if float64(scan) < 0.95*float64(n) || float64(plain) > 0.05*float64(n) {
		t.Errorf("of %d series the scan finds %d and the plain statistic %d, want nearly all and none", n, scan, plain)
	}
	if least, most := band(n, 0.06, 0.085); float64(steady) < least*float64(n) || float64(steady) > most*float64(n) {
		t.Errorf("the scan alarms in %d of %d steady series, want about 7 %%", steady, n)
	}
}

// The critical values must be those of white noise.
func TestScanCriticalValues(t *testing.T) {
	t.Parallel()
	for critical, alpha := range map[float64]float64{Scan10: 0.10, Scan5: 0.05, Scan1: 0.01} {
		n := simulations(1500, 10000)
		got := share(n, 317, func(rng *rand.Rand) bool {
			s, _ := SelfNormalisedScan(normals(rng, 500, 0, 1))
			return s > critical
		})
		if least, most := band(n, alpha, alpha); got < least || got > most {
			t.Errorf("critical value %v is exceeded in %.2f %%, want %v", critical, 100*got, 100*alpha)
		}
	}
}

// Critical values depend neither on the level nor on the scale.
func TestSelfNormalisedIsScaleFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 18))
	x := autoregressive(rng, 200, 0, 1, 0.5)
	want, at := SelfNormalised(x)
	for i := range x {
		x[i] = 1e6 - 250*x[i]
	}
	got, there := SelfNormalised(x)
	near(t, "statistic", got, want, 1e-6)
	if at != there {
		t.Errorf("change at %d, before %d", there, at)
	}
	for name, x := range map[string][]float64{"short": x[:19], "constant": make([]float64, 50), "NaN": append(x[:30:30], math.NaN())} {
		if stat, at := SelfNormalised(x); stat != 0 || at != -1 {
			t.Errorf("%s: %v at %d, want 0 at -1", name, stat, at)
		}
	}
}

func TestEDivisive(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 19))
	x := normals(rng, 60, 100, 1)
	for i := range x {
		if i >= 20 && i < 45 {
			x[i] -= 4
		}
	}
	if d := cmp.Diff([]int{20, 45}, EDivisive(x, 0.01, 199, 1)); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	for _, short := range [][]float64{nil, {1}, {1, 2, 3}} {
		if got := EDivisive(short, 0.05, 99, 1); len(got) != 0 {
			t.Errorf("EDivisive(%v) = %v", short, got)
		}
	}
}

// splitAndT is what Hunter and Otava do: a t test at the split that was chosen
// because it is extreme.
func splitAndT(x []float64) bool {
	_, at := EnergySplit(x)
	a, b := x[:at], x[at:]
	na, nb := float64(len(a)), float64(len(b))
	pooled := ((na-1)*Variance(a) + (nb-1)*Variance(b)) / (na + nb - 2)
	return tTwoSided((Mean(a)-Mean(b))/math.Sqrt(pooled*(1/na+1/nb)), na+nb-2) < 0.05
}

func TestEDivisiveOnAQuietHistory(t *testing.T) {
	t.Parallel()
	calibration{sims: simulations(600, 4000), seed: 112, lo: 0.04, hi: 0.055, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			x := normals(rng, 40, 0, 1)
			return len(EDivisive(x, 0.05, 99, rng.Uint64())) > 0, splitAndT(x)
		}}.run(t)
}

func TestDipEdges(t *testing.T) {
	for name, x := range map[string][]float64{"three values": {1, 2, 3}, "NaN": {1, 2, 3, math.NaN()}, "infinity": {1, 2, 3, math.Inf(1)}} {
		near(t, name, Dip(x), math.NaN(), 0)
	}
	near(t, "equal values", Dip([]float64{5, 5, 5, 5, 5}), 0.1, 1e-15)
	near(t, "even spacing", Dip([]float64{1, 2, 3, 4, 5, 6, 7, 8}), 1.0/16, 1e-15)
	near(t, "two far points, the largest dip", Dip([]float64{0, 0, 0, 0, 9, 9, 9, 9}), 0.25, 1e-15)
	dip, p := DipTest([]float64{1, 2, 3}, 0, 99, 1)
	near(t, "dip of three", dip, math.NaN(), 0)
	near(t, "p of three", p, math.NaN(), 0)
}

func TestDipTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 20))
	x := normals(rng, 300, 0, 1)
	first := x[0]
	_, p := DipTest(x, 0.1, 199, 1)
	if p < 0.5 {
		t.Errorf("p of normal values = %v", p)
	}
	if x[0] != first {
		t.Error("DipTest changed its input")
	}
	for i := range 150 {
		x[i] += 6
	}
	if _, p = DipTest(x, 0.1, 199, 1); p != 1.0/200 {
		t.Errorf("p of two modes = %v, want the least possible", p)
	}
}

func TestMSER(t *testing.T) {
	x := []float64{50, 60, 80, 95}
	for i := range 36 {
		x = append(x, 100+float64(i%2))
	}
	cut, settled := MSER(x, 1)
	if cut != 4 || !settled {
		t.Errorf("MSER = %d, %v, want 4, true", cut, settled)
	}
	if cut, settled = MSER(x, 2); cut != 4 || !settled {
		t.Errorf("MSER in twos = %d, %v, want 4, true", cut, settled)
	}
	// A load at a fixed rate: after the ramp every second is the same, and only
	// rounding distinguishes the later cuts.
	for rate := 100.1; rate < 5000; rate *= 1.3 {
		fixed := []float64{rate / 2, rate / 1.7, rate / 1.3, rate / 1.1}
		for range 36 {
			fixed = append(fixed, rate)
		}
		if cut, settled = MSER(fixed, 1); cut != 4 || !settled {
			t.Errorf("MSER of a fixed rate of %v = %d, %v, want 4, true", rate, cut, settled)
		}
	}
	if _, settled = MSER(x[:4], 1); settled {
		t.Error("four batches settle")
	}
	if _, settled = MSER(x, 0); settled {
		t.Error("batches of nothing settle")
	}
	for i := range x {
		x[i] = float64(i * i)
	}
	if cut, settled = MSER(x, 1); settled {
		t.Errorf("a series that keeps rising settles at %d", cut)
	}
}

func TestDriftOf(t *testing.T) {
	near(t, "half drift", HalfDrift([]float64{90, 110, 109, 110, 111}), math.Log(1.10), 1e-14)
	d := DriftOf([]float64{0.01, 0.012, 0.009, 0.011})
	if !d.Flagged || d.N != 4 {
		t.Errorf("DriftOf = %+v, want flagged", d)
	}
	sd := math.Sqrt(5e-6 / 3)
	near(t, "lo", d.Lo99, 0.0105-5.840909309733357*sd/2, 1e-12)
	near(t, "bound", d.Bound, 0.0105+2.353363434801824*sd/2, 1e-12)
	if d = DriftOf([]float64{-0.01, -0.012, -0.009, -0.011}); !d.Flagged {
		t.Errorf("a fall: %+v, want flagged", d)
	}
	if d = DriftOf([]float64{0.1}); d.Flagged || !math.IsNaN(d.Bound) {
		t.Errorf("one trial gives %+v, want neither flag nor bound", d)
	}
}

// The trend test on ten batch means keeps its level where seconds are correlated;
// on seconds it does not.
func TestMannKendallOnBatchMeans(t *testing.T) {
	t.Parallel()
	for _, rho := range []float64{0, 0.6} {
		t.Run(fmt.Sprintf("rho=%v", rho), func(t *testing.T) {
			calibration{sims: simulations(1500, 10000), seed: 120, lo: 0.04, hi: 0.06, control: rho > 0,
				simulate: func(rng *rand.Rand) (bool, bool) {
					x := autoregressive(rng, 300, 100, 3, rho)
					_, p := MannKendall(batchMeans(x, 30))
					_, seconds := MannKendall(x)
					return p <= 0.05, seconds <= 0.05
				}}.run(t)
		})
	}
	power := share(simulations(500, 4000), 220, func(rng *rand.Rand) bool {
		x := autoregressive(rng, 300, 100, 3, 0.6)
		for s := range x {
			x[s] -= 5 * float64(s) / 300
		}
		_, p := MannKendall(batchMeans(x, 30))
		return p <= 0.05
	})
	near(t, "power for a drift of 5 %", power, 0.92, 0.05)
}

func TestMannKendallEdges(t *testing.T) {
	s, p := MannKendall([]float64{1, 2, 3, 4})
	if s != 6 {
		t.Errorf("S = %d, want 6", s)
	}
	near(t, "p of four rising values", p, 2.0/24, 1e-15)
	// By hand: 18*Var(S) = 7*6*19 - 2*1*9 - 3*2*11 = 714, z = 16/sqrt(714/18) = 2.5404.
	s, p = MannKendall([]float64{1, 2, 2, 3, 3, 3, 5})
	if s != 17 {
		t.Errorf("S with ties = %d, want 17", s)
	}
	near(t, "p with ties", p, 0.01107, 1e-5)
	_, p = MannKendall([]float64{7, 7, 7, 7})
	near(t, "p of a constant", p, 1, 0)
	_, p = MannKendall([]float64{1, 2})
	near(t, "p of two values", p, math.NaN(), 0)
}
