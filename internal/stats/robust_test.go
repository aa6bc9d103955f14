package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestRobustnessByHand(t *testing.T) {
	x := []float64{1, 2, 3, 4, 100}
	r := RobustnessOf(x, 0.05)
	near(t, "trimmed mean", r.TrimmedMean, 3, 1e-15)
	// Winsorised 2 2 3 4 4: sum of squares 4, h = 3, SE = sqrt(4/6), t(.975,2) = 4.3027.
	near(t, "half-width", (r.TrimmedHi-r.TrimmedLo)/2, 4.302652729911275*math.Sqrt(4.0/6), 1e-9)
	if r.MostInfluential != 4 {
		t.Errorf("most influential round is %d, want 4", r.MostInfluential)
	}
	near(t, "its influence", r.InfluenceOnTheMean, 2.5-22, 1e-13)
	if x[4] != 100 {
		t.Error("RobustnessOf reordered its input")
	}
}

func TestRobustnessOfFew(t *testing.T) {
	r := RobustnessOf([]float64{1, 2, 3, 4}, 0.05)
	near(t, "trimmed interval of four", r.TrimmedLo, math.NaN(), 0)
	near(t, "mean of four", r.TrimmedMean, 2.5, 0)
	r = RobustnessOf([]float64{7}, 0.05)
	if r.MostInfluential != -1 {
		t.Errorf("most influential of one is %d", r.MostInfluential)
	}
	near(t, "mean of none", RobustnessOf(nil, 0.05).TrimmedMean, math.NaN(), 0)
}

// On normal rounds the trimmed interval holds; on skewed ones it does not, and
// is no substitute for the headline.
func TestTrimmedCoverage(t *testing.T) {
	t.Parallel()
	calibration{sims: simulations(3000, 20000), seed: 121, lo: 0.05, hi: 0.063, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			skewed := make([]float64, 10)
			for i := range skewed {
				skewed[i] = math.Exp(0.75 * rng.NormFloat64())
			}
			plain, bent := RobustnessOf(normals(rng, 10, 0, 1), 0.05), RobustnessOf(skewed, 0.05)
			return misses(0)(plain.TrimmedLo, plain.TrimmedHi), misses(math.Exp(0.75*0.75/2))(bent.TrimmedLo, bent.TrimmedHi)
		}}.run(t)
}

func TestAtLeast(t *testing.T) {
	near(t, "3 or more of 4 fair coins", AtLeast(3, 4, 0.5), 5.0/16, 1e-12)
	near(t, "all of 4", AtLeast(4, 4, 0.5), 1.0/16, 1e-12)
	near(t, "none or more", AtLeast(0, 4, 0.5), 1, 0)
	near(t, "5 of 4", AtLeast(5, 4, 0.5), 0, 0)
	near(t, "impossible probability", AtLeast(1, 4, 1.5), math.NaN(), 0)
	near(t, "certain", AtLeast(4, 4, 1), 1, 1e-12)
}

func TestFalseAlarmLimit(t *testing.T) {
	for n, want := range map[int]int{20: 4, 40: 6, 60: 7, 100: 11} {
		if got := FalseAlarmLimit(n); got != want {
			t.Errorf("FalseAlarmLimit(%d) = %d, want %d", n, got, want)
		}
	}
}

// A client-side delay of 20 to 200 us on each of 20 round trips of a 4 ms
// transaction: the slope's interval covers 1 and is about .019 wide either side.
func TestSlopeOfThePositiveControl(t *testing.T) {
	t.Parallel()
	var x []float64
	for _, delay := range []float64{20, 50, 100, 200} {
		x = append(x, math.Log(4000/(4000+20*delay)))
	}
	var half []float64
	calibration{sims: simulations(2000, 10000), seed: 122, lo: 0.05, hi: 0.05, control: true,
		simulate: func(rng *rand.Rand) (bool, bool) {
			slopes, biased := make([]float64, 8), make([]float64, 8)
			for b := range slopes {
				baseline := 0.01 * rng.NormFloat64()
				y, w := make([]float64, len(x)), make([]float64, len(x))
				for i := range x {
					y[i] = x[i] + 0.01*rng.NormFloat64() - baseline
					w[i] = 0.9 * y[i] // an instrument that hides a tenth of every effect
				}
				slopes[b], biased[b] = Slope(x, y), Slope(x, w)
			}
			lo, hi := TInterval(slopes, 0.05)
			half = append(half, (hi-lo)/2)
			return lo > 1 || hi < 1, missesMean(biased, 1)
		}}.run(t)
	near(t, fmt.Sprint("half-width of ", len(half)), Mean(half), 0.019, 0.001)
	near(t, "slope of nothing", Slope([]float64{0}, []float64{1}), math.NaN(), 0)
	near(t, "unequal lengths", Slope(x, x[:1]), math.NaN(), 0)
}
