package stats

import (
	"math"
	"slices"
)

// trimmed is the share cut off at either end of a robust mean.
const trimmed = 0.2

// Robust is how much a comparison depends on single rounds.
type Robust struct {
	TrimmedMean        float64
	TrimmedLo          float64 // 95 % interval of the trimmed mean, NaN below 5 rounds
	TrimmedHi          float64
	MostInfluential    int     // the round whose absence moves the mean most, -1 if none
	InfluenceOnTheMean float64 // by how much
}

// RobustnessOf looks at log-ratios again with a fifth of them cut off at either
// end, and with each left out in turn. It is shown with the headline and never
// replaces it: a trimmed mean of rounds that differ for a reason hides the
// reason, and with skewed noise its interval misses more often than t does (20 %
// against 11 % for ten lognormal rounds).
//
// The interval is Tukey & McLaughlin's with Yuen's standard error (Biometrika 61,
// 1974): winsorised sum of squares over h(h-1), t with h-1 degrees of freedom,
// where h values are left. It misses with probability alpha where the number of rounds was fixed before the run.
func RobustnessOf(logRatios []float64, alpha float64) Robust {
	n := len(logRatios)
	r := Robust{TrimmedLo: math.NaN(), TrimmedHi: math.NaN(), MostInfluential: -1}
	s := slices.Clone(logRatios)
	slices.Sort(s)
	cut := int(trimmed * float64(n))
	kept := s[cut : n-cut]
	r.TrimmedMean = Mean(kept)
	if n >= 5 {
		h := float64(len(kept))
		se := math.Sqrt(Variance(winsorised(s, cut)) * float64(n-1) / (h * (h - 1)))
		half := tQuantile(1-alpha/2, h-1) * se
		r.TrimmedLo, r.TrimmedHi = r.TrimmedMean-half, r.TrimmedMean+half
	}
	r.leaveOut(logRatios)
	return r
}

// winsorised pulls the cut-off values of a sorted sample in to the last that stay.
func winsorised(sorted []float64, cut int) []float64 {
	w := slices.Clone(sorted)
	for i := range cut {
		w[i] = sorted[cut]
		w[len(w)-1-i] = sorted[len(w)-1-cut]
	}
	return w
}

func (r *Robust) leaveOut(x []float64) {
	if len(x) < 2 {
		return
	}
	m, n := Mean(x), float64(len(x))
	for i, v := range x {
		rest := (n*m - v) / (n - 1)
		if math.Abs(rest-m) > math.Abs(r.InfluenceOnTheMean) {
			r.MostInfluential, r.InfluenceOnTheMean = i, rest-m
		}
	}
}
