package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Serial is whether values in the order of their measurement depend on the value before.
type Serial struct {
	// Rho is the correlation of neighbours, of the values themselves: with n values of a series
	// without dependence its mean is -1/n.
	Rho float64
	// P is the probability that a series without dependence has neighbours as much alike.
	P float64
}

// SerialLeast is how many values the test needs: the smallest P of five is 1/60, as a series and its
// reverse are alike.
const SerialLeast = 6

// SerialDependence compares the sum of squared differences of neighbours with the sum of squares
// (von Neumann, Annals of Mathematical Statistics 12, 1941), one-sided: alike neighbours make
// intervals too narrow, and alternation makes them too wide. The distribution without dependence is
// that of the shuffled values, so it needs no normality. draws shuffles are made from seed.
//
// An error says that there are fewer than [SerialLeast] values, or that one is not finite.
func SerialDependence(x []float64, draws int, seed uint64) (Serial, error) {
	if len(x) < SerialLeast || slices.ContainsFunc(x, notFinite) {
		return Serial{}, errors.New("test serial dependence: six finite values are the least")
	}
	if SD(x) == 0 {
		return Serial{P: 1}, nil
	}
	m, shuffled := Mean(x), slices.Clone(x)
	s := Serial{}
	for i := 1; i < len(x); i++ {
		s.Rho += (x[i] - m) * (x[i-1] - m)
	}
	s.Rho /= Variance(x) * float64(len(x)-1)
	observed := neighbourSquares(x)
	rng := rand.New(rand.NewPCG(seed, 0x7365_7269))
	hits := 1
	for range draws {
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if neighbourSquares(shuffled) <= observed*(1+1e-12) {
			hits++
		}
	}
	s.P = float64(hits) / float64(draws+1)
	return s, nil
}

// SerialNoticed is the probability that [SerialDependence] gives P of at most 0.05 for n normal values
// of an autoregression of order 1 with coefficient rho. It is simulated, to about 2 points; NaN
// below [SerialLeast].
func SerialNoticed(n int, rho float64) float64 {
	if n < SerialLeast {
		return math.NaN()
	}
	const series, draws, most = 1000, 99, 4 // P is (most+1)/(draws+1) at most
	rng := rand.New(rand.NewPCG(uint64(n), 0x706f_7765))
	noticed, x := 0, make([]float64, n)
	for range series {
		state := rng.NormFloat64()
		for i := range x {
			x[i] = state
			state = rho*state + math.Sqrt(1-rho*rho)*rng.NormFloat64()
		}
		observed, hits := neighbourSquares(x), 0
		for d := 0; d < draws && hits <= most; d++ {
			rng.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
			if neighbourSquares(x) <= observed {
				hits++
			}
		}
		if hits <= most {
			noticed++
		}
	}
	return float64(noticed) / series
}

func neighbourSquares(x []float64) (sum float64) {
	for i := 1; i < len(x); i++ {
		sum += (x[i] - x[i-1]) * (x[i] - x[i-1])
	}
	return sum
}

// DependentHalfWidth is half of the interval about the mean of x at 1-alpha, where neighbours are
// alike by an amount that is not known: an autoregression of order 1 whose coefficient may be anything
// from 0 to 1 with the same probability. Coefficient, mean and variance are integrated out (Zellner &
// Tiao, JASA 59, 1964; flat for the mean and for the logarithm of the variance). A coefficient that
// was estimated is not used: with 8 values it is known so badly that an interval from it misses
// nearly as often as Student's. NaN below three values.
func DependentHalfWidth(x []float64, alpha float64) float64 {
	n := float64(len(x))
	if n < 3 {
		return math.NaN()
	}
	if SD(x) == 0 {
		return 0
	}
	const cells = 20
	var logs, means, scales [cells]float64
	for i := range cells {
		rho := (float64(i) + 0.5) / cells
		mean, weight, squares := generalisedMean(x, rho)
		logs[i] = 0.5*math.Log(1-rho*rho) - 0.5*math.Log(weight) - (n-1)/2*math.Log(squares)
		means[i], scales[i] = mean, math.Sqrt(squares/(n-1)/weight)
	}
	most, m := slices.Max(logs[:]), Mean(x)
	outside := func(h float64) float64 {
		var out, sum float64
		for i := range cells {
			t := distuv.StudentsT{Mu: means[i], Sigma: scales[i], Nu: n - 1}
			w := math.Exp(logs[i] - most)
			out, sum = out+w*(t.CDF(m-h)+t.Survival(m+h)), sum+w
		}
		return out / sum
	}
	lo, hi := 0.0, SD(x)
	for outside(hi) > alpha {
		hi *= 2
	}
	for range 50 {
		if mid := (lo + hi) / 2; outside(mid) > alpha {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// generalisedMean is the generalised least-squares mean of a stationary autoregression of order 1 with a
// known coefficient, the precision of that mean for innovations of variance 1, and the weighted sum
// of squares about it.
func generalisedMean(x []float64, rho float64) (mean, weight, squares float64) {
	n := len(x)
	inner := 1 - rho
	for i, v := range x {
		w := inner * inner
		if i == 0 || i == n-1 {
			w = inner
		}
		mean, weight = mean+w*v, weight+w
	}
	mean /= weight
	squares = (1 - rho*rho) * (x[0] - mean) * (x[0] - mean)
	for i := 1; i < n; i++ {
		e := (x[i] - mean) - rho*(x[i-1]-mean)
		squares += e * e
	}
	return mean, weight, squares
}
