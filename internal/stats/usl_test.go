package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func uslCurve(levels []float64, u USL) []float64 {
	x := make([]float64, len(levels))
	for i, n := range levels {
		x[i] = u.At(n)
	}
	return x
}

// Average errors of fits to a curve with its peak at 44 threads, as an
// independent program found them, and the coverage of the interval for Sigma.
func TestUSLPrecision(t *testing.T) {
	t.Parallel()
	truth := USL{Lambda: 1000, Sigma: 0.03, Kappa: 0.0005}
	peak, _ := truth.Peak()
	near(t, "true peak", peak, 44.04, 0.001)
	for _, c := range []struct {
		levels            []float64
		noise             float64
		peakErr, kappaErr float64
	}{
		{[]float64{1, 2, 4, 8, 16, 32, 64, 128}, 0.01, 0.008, 0.017},
		{[]float64{1, 2, 4, 8, 16, 32}, 0.01, 0.055, 0.109},
		{[]float64{1, 4, 16, 64}, 0.01, 0.022, 0.044},
	} {
		var peakErr, kappaErr []float64
		n := simulations(1500, 10000)
		miss := share(n, 118, func(rng *rand.Rand) bool {
			x := uslCurve(c.levels, truth)
			for i := range x {
				x[i] *= 1 + c.noise*rng.NormFloat64()
			}
			u, err := FitUSL(c.levels, x)
			if err != nil {
				t.Fatal(err)
			}
			p, _ := u.Peak()
			peakErr = append(peakErr, math.Abs(p/peak-1))
			kappaErr = append(kappaErr, math.Abs(u.Kappa/truth.Kappa-1))
			return truth.Sigma < u.SigmaLo || truth.Sigma > u.SigmaHi
		})
		tol := 0.2 * (1 + float64(count(raceEnabled)))
		near(t, fmt.Sprintf("%d levels: peak error / expected", len(c.levels)), Mean(peakErr)/c.peakErr, 1, tol)
		near(t, fmt.Sprintf("%d levels: kappa error / expected", len(c.levels)), Mean(kappaErr)/c.kappaErr, 1, tol)
		if least, most := band(n, 0.04, 0.06); miss < least || miss > most {
			t.Errorf("%d levels: interval for sigma misses %.1f %%, want 4 to 6", len(c.levels), 100*miss)
		}
	}
}

func TestUSLExact(t *testing.T) {
	levels := []float64{1, 2, 4, 8, 16, 32, 64}
	for _, truth := range []USL{{Lambda: 500, Sigma: 0.05, Kappa: 0.001}, {Lambda: 500, Sigma: 0.05}, {Lambda: 500, Kappa: 0.001}, {Lambda: 500}} {
		u, err := FitUSL(levels, uslCurve(levels, truth))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "lambda", u.Lambda, truth.Lambda, 1e-9)
		near(t, "sigma", u.Sigma, truth.Sigma, 1e-9)
		near(t, "kappa", u.Kappa, truth.Kappa, 1e-11)
		if u.Misfit(0.001) {
			t.Errorf("the curve %+v does not fit itself: %v", truth, u.Residuals)
		}
	}
	u, err := FitUSL(levels, uslCurve(levels, USL{Lambda: 500, Sigma: 0.1, Kappa: 0.00001}))
	if err != nil {
		t.Fatal(err)
	}
	if n, measured := u.Peak(); measured || n < 64 {
		t.Errorf("peak %v, measured %v; want 300 threads, not measured", n, measured)
	}
	straight := USL{Lambda: 500, MaxN: 64}
	if n, measured := straight.Peak(); measured || !math.IsInf(n, 1) {
		t.Errorf("peak of a straight line is %v, measured %v", n, measured)
	}
}

// A CPU quota caps throughput; the law bends through the corner, 12 % below and
// 22 % above, and must be refused.
func TestUSLMisfitOfAHardCap(t *testing.T) {
	levels := []float64{1, 2, 4, 8, 16, 32, 64, 128}
	x := make([]float64, len(levels))
	for i, n := range levels {
		x[i] = 1000 * math.Min(n, 10)
	}
	u, err := FitUSL(levels, x)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "residual at 1 thread", u.Residuals[0], -0.12, 0.006)
	near(t, "residual at 8 threads", u.Residuals[3], 0.22, 0.006)
	if !u.Misfit(0.02) {
		t.Error("a hard cap passes for a scalability law")
	}
}

func TestMisfitCountsBothSides(t *testing.T) {
	if !(USL{Residuals: []float64{0.01, -0.07}}).Misfit(0.02) || !(USL{Residuals: []float64{0.07}}).Misfit(0.02) {
		t.Error("a level 3.5 SD off the curve passes")
	}
	if (USL{Residuals: []float64{0.05, -0.05}}).Misfit(0.02) {
		t.Error("levels 2.5 SD off the curve do not pass")
	}
}

func TestFitUSLErrors(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"lengths differ":  {{1, 2, 4}, {1, 2}},
		"two levels":      {{1, 2, 2, 1}, {1, 2, 2, 1}},
		"no throughput":   {{1, 2, 4}, {1, 0, 2}},
		"half a thread":   {{0.5, 2, 4}, {1, 2, 2}},
		"not a number":    {{1, 2, 4}, {1, math.NaN(), 2}},
		"infinite thread": {{1, 2, math.Inf(1)}, {1, 2, 3}},
	} {
		if _, err := FitUSL(c[0], c[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Three levels leave nothing to judge the scatter by.
	u, err := FitUSL([]float64{1, 4, 16}, []float64{100, 350, 900})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "SigmaLo without a spare level", u.SigmaLo, math.NaN(), 0)
}
