package stats

import (
	"cmp"
	"math"
	"slices"
)

// TOST is the p-value for "the mean of logRatios lies within ±margin": two
// one-sided t tests (Schuirmann, Journal of Pharmacokinetics and
// Biopharmaceutics 15, 1987), the larger p of the two. p <= .05 is the same
// statement as a 90 % interval inside the margin. margin is on the log scale and
// positive; NaN below two values.
func TOST(logRatios []float64, margin float64) float64 {
	n := float64(len(logRatios))
	if len(logRatios) < 2 || !(margin > 0) {
		return math.NaN()
	}
	m, se := Mean(logRatios), SD(logRatios)/math.Sqrt(n)
	// With no spread at all this is ±Inf, or 0/0 exactly at the margin.
	return tAbove((margin-math.Abs(m))/se, n-1)
}

// tAbove is P(T >= t) for Student's t with df degrees of freedom.
func tAbove(t, df float64) float64 {
	half := tTwoSided(t, df) / 2
	if t < 0 {
		return 1 - half
	}
	return half
}

// Holm adjusts p-values that are read together, so that rejecting every one at
// or below alpha keeps the chance of any false rejection at alpha, whatever their
// dependence (Holm, Scandinavian Journal of Statistics 6, 1979). The answer keeps
// the order of p; a NaN stays NaN and does not count.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	order := make([]int, 0, len(p))
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	floor := 0.0
	for rank, i := range order {
		floor = math.Max(floor, math.Min(1, p[i]*float64(len(order)-rank)))
		adjusted[i] = floor
	}
	return adjusted
}
