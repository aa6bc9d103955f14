package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// AtLeast is the probability of k or more successes in n independent attempts
// that each succeed with probability p. It judges counts: whether one arm's
// trials were voided more often than its share of all trials explains.
func AtLeast(k, n int, p float64) float64 {
	switch {
	case n < 0 || math.IsNaN(p) || p < 0 || p > 1:
		return math.NaN()
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}
