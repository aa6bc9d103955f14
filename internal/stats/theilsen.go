package stats

import "math"

// TheilSen is the median of the slopes through all pairs of points, in units of
// y per unit of x, with the smallest and largest of them (Theil 1950; Sen, JASA
// 63, 1968). Up to 29 % of the points may be arbitrarily bad. Pairs with equal x
// have no slope; NaN when no pair has one.
func TheilSen(x, y []float64) (slope, lo, hi float64) {
	var slopes []float64
	for i := range min(len(x), len(y)) {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	if len(slopes) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return Median(slopes), Quantile(slopes, 0), Quantile(slopes, 1)
}
