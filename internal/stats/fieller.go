package stats

import "math"

// Ratio is a ratio of two means with its interval, which may be refused.
type Ratio struct {
	Value   float64
	Lo, Hi  float64 // NaN unless Bounded
	Bounded bool    // false: the denominator is not known well enough to divide by
}

// Wider is how many times as wide as Student's the interval of a mean of values is.
type Wider func(values []float64) float64

// Independent is of values of which each is by itself, in a number that was fixed before they were measured.
func Independent([]float64) float64 { return 1 }

// Fieller is the ratio mean(a)/mean(b) of paired values, with the interval of all
// theta for which a paired t test of a - theta*b does not reject (Fieller, JRSS B
// 16, 1954). When mean(b) does not differ from 0 at the same alpha, that set is
// unbounded and the interval is refused: "how much of a loss is the network's"
// has no answer while it is not certain that there is a loss.
//
// wider says of rounds how many times as wide as Student's the interval of their mean is. The largest
// of numerator, denominator and a - r*b, with r the ratio, is that of all theta.
func Fieller(a, b []float64, alpha float64, wider Wider) Ratio {
	n := float64(len(a))
	r := Ratio{Value: Mean(a) / Mean(b), Lo: math.NaN(), Hi: math.NaN()}
	if len(a) != len(b) || len(a) < 2 {
		return r
	}
	ma, mb := Mean(a), Mean(b)
	t := tQuantile(1-alpha/2, n-1)
	rest := make([]float64, len(a))
	for i := range a {
		rest[i] = a[i] - r.Value*b[i]
	}
	t *= max(wider(a), wider(b), wider(rest))
	scale := t * t / n
	// theta^2*square - 2*theta*cross + own <= 0
	square := mb*mb - scale*Variance(b)
	cross := ma*mb - scale*covariance(a, b)
	own := ma*ma - scale*Variance(a)
	if !(square > 0) {
		return r
	}
	// The set holds at least Value itself, so a negative root is rounding.
	root := math.Max(0, cross*cross-square*own)
	r.Bounded = true
	r.Lo, r.Hi = (cross-math.Sqrt(root))/square, (cross+math.Sqrt(root))/square
	return r
}

// covariance is the unbiased covariance of equally long samples.
func covariance(a, b []float64) float64 {
	ma, mb := Mean(a), Mean(b)
	var sum float64
	for i := range a {
		sum += (a[i] - ma) * (b[i] - mb)
	}
	return sum / float64(len(a)-1)
}
