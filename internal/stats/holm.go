package stats

import (
	"cmp"
	"math"
	"slices"
)

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
