package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// LeftOut is a point compared with the line through all other points.
type LeftOut struct {
	// Predicted is y at the point's x on that line.
	Predicted float64
	// P is the two-sided p of the externally studentised residual, for this point alone.
	P float64
}

// LeaveOneOut fits a line of y on x by least squares with weights w, each time without one
// point, and compares that point with it. nil weights are equal ones; a nil x has the mean of
// the others in place of a line. A line needs 3 other points for a p; below 4 points, or where
// the others have one x only, all is NaN.
//
// The p assumes normal residuals whose variance is 1/w: Student's t with n-3 degrees of
// freedom, n-2 without a line (Cook & Weisberg, Residuals and Influence in Regression, 1982,
// section 2.2.1; outlierTest of R's package car).
func LeaveOneOut(x, y, w []float64) []LeftOut {
	all := make([]LeftOut, len(y))
	for i := range y {
		all[i] = leftOut(x, y, w, i)
	}
	return all
}

func leftOut(x, y, w []float64, i int) LeftOut {
	if x != nil && len(x) != len(y) || len(y) < 4 {
		return LeftOut{math.NaN(), math.NaN()}
	}
	var othersW, othersX []float64
	weight, here, df := 1.0, 0.0, float64(len(y)-2)
	if w != nil {
		othersW, weight = without(w, i), w[i]
	}
	if x != nil {
		othersX, here, df = without(x, i), x[i], df-1
	}
	l := fitLine(othersX, without(y, i), othersW)
	at := l.at(here)
	spread := 1/weight + 1/l.sumW
	if x != nil {
		spread += (here - l.meanX) * (here - l.meanX) / l.sumXX
	}
	se := math.Sqrt(l.residual / df * spread)
	p := tTwoSided((y[i]-at)/se, df)
	if se == 0 {
		p = map[bool]float64{true: 1, false: 0}[y[i] == at]
	}
	return LeftOut{Predicted: at, P: p}
}

// line is a weighted least-squares line through its points' means.
type line struct{ slope, meanX, meanY, sumW, sumXX, residual float64 }

func (l line) at(x float64) float64 { return l.meanY + l.slope*(x-l.meanX) }

func fitLine(x, y, w []float64) (l line) {
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	constant := x == nil
	if constant {
		x = make([]float64, len(y))
	}
	for i := range y {
		l.sumW += weight(i)
		l.meanX += weight(i) * x[i]
		l.meanY += weight(i) * y[i]
	}
	l.meanX, l.meanY = l.meanX/l.sumW, l.meanY/l.sumW
	var sumXY float64
	for i := range x {
		l.sumXX += weight(i) * (x[i] - l.meanX) * (x[i] - l.meanX)
		sumXY += weight(i) * (x[i] - l.meanX) * (y[i] - l.meanY)
	}
	if !constant {
		l.slope = sumXY / l.sumXX // NaN where all x are one
	}
	for i := range x {
		r := y[i] - l.at(x[i])
		l.residual += weight(i) * r * r
	}
	return l
}

// LineSlope is the slope of the least-squares line with weights w; nil are equal ones.
func LineSlope(x, y, w []float64) float64 { return fitLine(x, y, w).slope }

// Outlying is a point that does not lie on the line of the others.
type Outlying struct {
	Index int
	P     float64 // with Bonferroni's factor for the points that were looked at
}

// OutlyingPoints are up to so many points that do not lie on the line of all others, at a
// family-wise level of alpha, the most extreme first. Two outliers hide each other from a
// test that leaves out one; the generalised extreme studentised residual procedure removes
// the most extreme point, tests again, and takes the largest number whose test rejects
// (Rosner, Technometrics 25, 1983; for residuals Paul & Fung, Technometrics 33, 1991).
func OutlyingPoints(x, y, w []float64, most int, alpha float64) []Outlying {
	left := make([]int, len(y))
	for i := range left {
		left[i] = i
	}
	var removed []Outlying
	found := 0
	for len(removed) < most && len(left) >= 4 {
		k, p := mostExtreme(pick(x, left), pick(y, left), pick(w, left))
		if k < 0 {
			break
		}
		p = min(1, p*float64(len(left)))
		removed = append(removed, Outlying{left[k], p})
		left = slices.Delete(left, k, k+1)
		if p < alpha {
			found = len(removed)
		}
	}
	return removed[:found]
}

func mostExtreme(x, y, w []float64) (at int, p float64) {
	at, p = -1, math.Inf(1)
	for i, l := range LeaveOneOut(x, y, w) {
		if l.P < p {
			at, p = i, l.P
		}
	}
	return at, p
}

func pick(x []float64, which []int) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(which))
	for i, k := range which {
		out[i] = x[k]
	}
	return out
}

// MedianInterval is an interval of level 1-alpha or more for the median of what x was drawn
// from, whatever its distribution: the narrowest from the d-th smallest to the d-th largest
// value (the interval of the sign test). At alpha .05 it needs 6 values; NaN below.
// Interpolating to exactly 1-alpha (Hettmansperger & Sheather, 1986) was rejected:
// leave-one-out errors share their points, and its interval then misses 9 % of the time
// with 7 arms (TestC16Prediction).
func MedianInterval(x []float64, alpha float64) (lo, hi float64) {
	n := len(x)
	if slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN(), math.NaN()
	}
	coins := distuv.Binomial{N: float64(n), P: 0.5}
	d := 0
	for d < n/2 && 2*coins.CDF(float64(d)) <= alpha {
		d++
	}
	if d == 0 {
		return math.NaN(), math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return s[d-1], s[n-d]
}
