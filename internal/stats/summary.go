package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean is the arithmetic mean of x, NaN when x is empty.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Variance is the unbiased (n-1) variance of x, NaN below two values. It takes
// two passes: the one-pass formula loses all digits for numbers like TPS whose
// mean is large against their spread.
func Variance(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m := Mean(x)
	var ss float64
	for _, v := range x {
		ss += (v - m) * (v - m)
	}
	return ss / float64(len(x)-1)
}

// SD is the square root of [Variance], in the unit of x.
func SD(x []float64) float64 { return math.Sqrt(Variance(x)) }

// Median is the middle value of x, NaN when x is empty. x stays as it is.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile is the q-quantile of x for q in [0,1], by linear interpolation of
// the order statistics at (n-1)q: type 7 of Hyndman & Fan (The American
// Statistician 50, 1996), the default of R and NumPy. x need not be sorted and
// stays as it is. NaN when x is empty, holds a NaN, or q is outside [0,1].
//
// gonum's stat.Quantile offers only types 1 and 4, which no other program's numbers
// can be compared with.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 || !(q >= 0 && q <= 1) || slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return sortedQuantile(s, q)
}

// sortedQuantile is Quantile on values already in order.
func sortedQuantile(s []float64, q float64) float64 {
	h := q * float64(len(s)-1)
	i := int(h)
	if i+1 >= len(s) || h == float64(i) {
		return s[i] // also keeps 0*Inf out of the interpolation
	}
	return s[i] + (h-float64(i))*(s[i+1]-s[i])
}

// Percent turns a log-ratio into a change in %: 100*(e^x-1). The loss of
// an arm with log-ratio x to its baseline is -Percent(x).
func Percent(log float64) float64 { return 100 * math.Expm1(log) }

// tQuantile is the p-quantile of Student's t with df degrees of freedom.
func tQuantile(p, df float64) float64 {
	if math.IsNaN(p) || !(df > 0) {
		return math.NaN()
	}
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p)
}

// tTwoSided is P(|T| >= |t|) for Student's t with df degrees of freedom.
func tTwoSided(t, df float64) float64 {
	if math.IsNaN(t) || !(df > 0) {
		return math.NaN()
	}
	return math.Min(1, 2*distuv.StudentsT{Sigma: 1, Nu: df}.Survival(math.Abs(t)))
}
