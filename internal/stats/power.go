package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// HalfWidthFamily is the half-width of the 95 % interval that rounds rounds will have
// on average, when a log-ratio has standard deviation sd and the comparison is one of k
// that are read together.
func HalfWidthFamily(sd float64, rounds, k int) float64 {
	return tQuantile(1-0.025/float64(max(k, 1)), float64(rounds-1)) * sd / math.Sqrt(float64(rounds))
}

// PowerFamily is the probability that the 95 % interval of rounds log-ratios with mean
// effect and standard deviation sd excludes 0, when the comparison is one of k that are read
// together. NaN below two rounds.
//
// It is that of a noncentral t beyond its quantile on either side, by the definition of t: for
// every value of the normal variable in the numerator, the probability that the chi-squared one
// in the denominator is small enough. distuv.NoncentralT approximates above a noncentrality of
// 38.6, which two rounds and three comparisons reach: for a negative t it returns the wrong tail
// there, and with few rounds the detectable effect would be 5 % too large.
func PowerFamily(effect, sd float64, rounds, k int) float64 {
	df := float64(rounds - 1)
	t := tQuantile(1-0.025/float64(max(k, 1)), df)
	if math.IsNaN(t) {
		return t
	}
	shift := math.Abs(effect) / sd * math.Sqrt(float64(rounds))
	spread, power := distuv.ChiSquared{K: df}, 0.0
	const most, perUnit = 8, 20 // the trapezoidal rule is exact to 1e-9 with that
	for i := -most * perUnit; i <= most*perUnit; i++ {
		z := float64(i) / perUnit
		at := (z + shift) / t
		power += distuv.UnitNormal.Prob(z) / perUnit * spread.CDF(df*at*at)
	}
	return power
}

// DetectableEffectFamily is the smallest effect that rounds rounds detect with 80 %
// probability, when the comparison is one of k that are read together: what a plan has to
// tell its owner before the first trial. NaN below two rounds.
func DetectableEffectFamily(sd float64, rounds, k int) float64 {
	if rounds < 2 || !(sd > 0) {
		return math.NaN()
	}
	lo, hi := 0.0, sd
	for PowerFamily(hi, sd, rounds, k) < 0.8 {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; PowerFamily(mid, sd, rounds, k) < 0.8 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// SDInterval is the interval at 1-alpha for the standard deviation of normal values of which n have the
// standard deviation sd; NaN below two.
func SDInterval(sd float64, n int, alpha float64) (lo, hi float64) {
	if n < 2 {
		return math.NaN(), math.NaN()
	}
	df := float64(n - 1)
	at := func(p float64) float64 { return sd * math.Sqrt(df/distuv.ChiSquared{K: df}.Quantile(p)) }
	return at(1 - alpha/2), at(alpha / 2)
}
