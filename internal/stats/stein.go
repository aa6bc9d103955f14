package stats

import "math"

// RoundsForFamily is how many rounds give a 95 % interval of half-width halfWidth,
// when pilot rounds showed the standard deviation sd (both on the log scale) and k
// comparisons are read together: max(pilot, ceil((t(1-.05/(2k), pilot-1)
// sd/halfWidth)^2)), the two-stage rule of Stein (Annals of Mathematical Statistics 16,
// 1945). The t quantile is that of the pilot: it accounts for sd being an estimate, which a
// z quantile would not. A plan runs the largest number its comparisons ask for.
//
// It answers 0 when it cannot know: pilot < 2, sd not a number, or halfWidth
// not positive. An inconclusive verdict with n rounds lacks
// RoundsForFamily(sd, want, n, k) - n more.
func RoundsForFamily(sd, halfWidth float64, pilot, k int) int {
	if pilot < 2 || !(halfWidth > 0) || math.IsInf(sd, 0) || !(sd >= 0) {
		return 0
	}
	t := tQuantile(1-0.05/(2*float64(max(k, 1))), float64(pilot-1))
	need := math.Ceil(math.Pow(t*sd/halfWidth, 2))
	return max(pilot, int(math.Min(need, math.MaxInt32)))
}

// SteinInterval is the final interval of a two-stage plan, at 1-alpha: the mean of
// all x, give or take t(1-alpha/2, pilot-1)*s0/sqrt(n), where s0 is the standard
// deviation of the first pilot values alone. That coverage is exact whatever the
// second stage's length, because s0 is independent of the later mean. The
// ordinary t interval after the same rule misses up to 9 % of the time. For one
// of k comparisons read together, alpha is shared out by the caller.
//
// NaN when pilot < 2 or x is shorter than the pilot.
func SteinInterval(x []float64, pilot int, alpha float64) (lo, hi float64) {
	if pilot < 2 || len(x) < pilot {
		return math.NaN(), math.NaN()
	}
	m, s0 := Mean(x), SD(x[:pilot])
	h := tQuantile(1-alpha/2, float64(pilot-1)) * s0 / math.Sqrt(float64(len(x)))
	return m - h, m + h
}
