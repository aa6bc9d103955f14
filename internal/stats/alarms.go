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

// FalseAlarmLimit is how many of n real A/A campaigns may exclude 0 at 5 % before
// the instrument counts as out of order: more happen less than once in a hundred
// sound instruments. 4 of 20, 6 of 40, 7 of 60, 11 of 100.
func FalseAlarmLimit(n int) int {
	k := 0
	for AtLeast(k+1, n, 0.05) > 0.01 {
		k++
	}
	return k
}

// Slope is the least-squares slope through the origin of y on x, per unit of x.
// For a positive control, x are the log-ratios that known delays must cause and y
// the ones measured in one round; the interval of several rounds' slopes
// ([TInterval]) must include 1. NaN for unequal lengths.
func Slope(x, y []float64) float64 {
	if len(x) != len(y) {
		return math.NaN()
	}
	return dot(x, y) / dot(x, x)
}
