package stats

import (
	"math"
	"testing"
)

// near fails t unless got is want within tol, absolute for |want| < 1 and
// relative above. Two NaNs are near, and so are two equal infinities.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g (tolerance %g)", what, got, want, tol)
	}
}

func TestSummary(t *testing.T) {
	x := []float64{7, 1, 3, 10}
	near(t, "mean", Mean(x), 5.25, 1e-15)
	near(t, "variance", Variance(x), 16.25, 1e-15)
	near(t, "sd", SD(x), math.Sqrt(16.25), 1e-15)
	near(t, "median", Median(x), 5, 1e-15)
	// R: quantile(c(7,1,3,10), c(.1,.25,.9), type=7)
	near(t, "10 % quantile", Quantile(x, 0.1), 1.6, 1e-15)
	near(t, "25 % quantile", Quantile(x, 0.25), 2.5, 1e-15)
	near(t, "90 % quantile", Quantile(x, 0.9), 9.1, 1e-15)
	near(t, "minimum", Quantile(x, 0), 1, 0)
	near(t, "maximum", Quantile(x, 1), 10, 0)
	if x[0] != 7 || x[3] != 10 {
		t.Errorf("Quantile reordered its input: %v", x)
	}
}

func TestSummaryRefusals(t *testing.T) {
	nan := math.NaN()
	near(t, "mean of nothing", Mean(nil), nan, 0)
	near(t, "SD of one value", SD([]float64{3}), nan, 0)
	near(t, "median of nothing", Median(nil), nan, 0)
	near(t, "quantile beyond 1", Quantile([]float64{1, 2}, 1.1), nan, 0)
	near(t, "quantile of NaN", Quantile([]float64{1, nan}, 0.5), nan, 0)
	near(t, "quantile with infinity", Quantile([]float64{1, 2, math.Inf(1)}, 0.5), 2, 0)
}

// The one-pass variance of these values is 0 or negative in float64.
func TestVarianceOfLargeNumbers(t *testing.T) {
	near(t, "variance", Variance([]float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}), 30, 1e-12)
}

func TestPercent(t *testing.T) {
	near(t, "Percent(ln .9)", Percent(math.Log(0.9)), -10, 1e-12)
	near(t, "Percent(0)", Percent(0), 0, 0)
}
