package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// scattered are points on a line with normal residuals of SD 0.1, x between 0 and 3.
func scattered(rng *rand.Rand, n int) (x, y []float64) {
	for range n {
		v := 3 * rng.Float64()
		x, y = append(x, v), append(y, 1+0.5*v+0.1*rng.NormFloat64())
	}
	return x, y
}

func outside(truth float64, x []float64) bool {
	lo, hi := MedianInterval(x, 0.05)
	return truth < lo || truth > hi
}

// TestC16Prediction: the interval of the median leave-one-out error contains the truth, the
// median error of predicting an arm from the others. The errors of a fit through
// all arms are too small, since every arm pulls the line to itself.
func TestC16Prediction(t *testing.T) {
	for _, c := range []struct {
		n       int
		lo, hi  float64
		control bool // with more arms, each pulls the line less
	}{{6, 0.05, 0.08, true}, {7, 0.02, 0.05, true}, {11, 0.005, 0.05, false}} {
		n := c.n
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(16, uint64(n)))
			var fresh []float64
			for range simulations(50000, 200000) {
				x, y := scattered(rng, n)
				fresh = append(fresh, math.Abs(y[0]-leftOut(x, y, nil, 0).Predicted))
			}
			truth := Median(fresh)
			calibration{
				sims: simulations(4000, 20000), seed: 160 + uint64(n), lo: c.lo, hi: c.hi, control: c.control,
				simulate: func(rng *rand.Rand) (method, broken bool) {
					x, y := scattered(rng, n)
					l := fitLine(x, y, nil)
					var left, fitted []float64
					for i := range x {
						left = append(left, math.Abs(y[i]-leftOut(x, y, nil, i).Predicted))
						fitted = append(fitted, math.Abs(y[i]-l.at(x[i])))
					}
					return outside(truth, left), outside(truth, fitted)
				},
			}.run(t)
		})
	}
}

// TestC16Outliers: of arms that all lie on the line, one is called an outlier in 5 % of
// the experiments. A p without Bonferroni's factor calls one in a third of them.
func TestC16Outliers(t *testing.T) {
	for _, c := range []struct{ n, most int }{{7, 1}, {11, 2}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			calibration{
				sims: simulations(2000, 20000), seed: 170 + uint64(c.n), lo: 0.035, hi: 0.065, control: true,
				simulate: func(rng *rand.Rand) (method, broken bool) {
					x, y := scattered(rng, c.n)
					_, p := mostExtreme(x, y, nil)
					return len(OutlyingPoints(x, y, nil, c.most, 0.05)) > 0, p < 0.05
				},
			}.run(t)
			found := share(simulations(1000, 5000), 180, func(rng *rand.Rand) bool {
				x, y := scattered(rng, c.n)
				y[0] -= 1
				got := OutlyingPoints(x, y, nil, c.most, 0.05)
				return len(got) > 0 && got[0].Index == 0
			})
			t.Logf("an arm 10 SD away is found in %.1f %%", 100*found)
			if found < 0.9 {
				t.Errorf("an arm 10 SD away is found in %.1f %% of the experiments", 100*found)
			}
		})
	}
}
