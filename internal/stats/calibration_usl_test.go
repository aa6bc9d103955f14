package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestC31Scalability: the intervals of sigma and kappa of the Universal Scalability Law, Student's over the fits of
// single rounds, with levels of 2 % noise in rounds that vary by 5 %. The broken control takes fits that stop at 0,
// where the truth is at 0.
func TestC31Scalability(t *testing.T) {
	t.Parallel()
	levels := []float64{1, 2, 4, 8, 16, 32, 64}
	for _, truth := range []USL{{Lambda: 1000, Sigma: 0.05, Kappa: 0.0005}, {Lambda: 1000, Sigma: 0.02, Kappa: 0}, {Lambda: 1000, Sigma: 0, Kappa: 0.0002}} {
		for what, of := range map[string]func(USL) float64{"sigma": func(u USL) float64 { return u.Sigma }, "kappa": func(u USL) float64 { return u.Kappa }} {
			t.Run(fmt.Sprintf("%s of %g, %g", what, truth.Sigma, truth.Kappa), func(t *testing.T) {
				calibration{sims: simulations(400, 4000), seed: 130, lo: 0.04, hi: 0.07, control: truth.Sigma == 0 || truth.Kappa == 0,
					simulate: func(rng *rand.Rand) (bool, bool) {
						var fits, stopped []float64
						for range 8 {
							level := 0.05 * rng.NormFloat64()
							x := make([]float64, len(levels))
							for i, n := range levels {
								x[i] = truth.At(n) * math.Exp(level+0.02*rng.NormFloat64())
							}
							law, err := FreeUSL(levels, x)
							if err != nil {
								t.Fatal(err)
							}
							atZero, err := FitUSL(levels, x)
							if err != nil {
								t.Fatal(err)
							}
							fits, stopped = append(fits, of(law)), append(stopped, of(atZero))
						}
						return missesMean(fits, of(truth)), missesMean(stopped, of(truth))
					}}.run(t)
			})
		}
	}
}
