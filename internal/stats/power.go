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
// effect and standard deviation sd excludes 0, from the noncentral t
// distribution, when the comparison is one of k that are read together. NaN below two rounds.
func PowerFamily(effect, sd float64, rounds, k int) float64 {
	df := float64(rounds - 1)
	t := tQuantile(1-0.025/float64(max(k, 1)), df)
	if math.IsNaN(t) {
		return t
	}
	shift := distuv.NoncentralT{Nu: df, Mu: math.Abs(effect) / sd * math.Sqrt(float64(rounds))}
	return 1 - shift.CDF(t) + shift.CDF(-t)
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
