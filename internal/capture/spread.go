package capture

// This file describes how the values of a parameter are distributed, from counts by hash. The
// values themselves are not kept.

import "math"

// Parameter is what a log shows of the values of one parameter.
type Parameter struct {
	Count     float64 // values that were seen
	Different float64 // of them
	// Repeat is the probability that two of them are the same, without bias from their
	// number; NaN below two.
	Repeat float64
	// Whole is how many of them were whole numbers, and Mean is the mean of these; NaN of none.
	// They are written for the numbers of rows that LIMIT and the ends of a range ask for, and for
	// no other parameter.
	Whole, Mean float64
	// Low and High are the lowest and the highest of the whole numbers. They are written rounded, and only where no
	// server was asked for the range of a column.
	Low, High int64
}

// mostValues bounds the different values of a parameter that are counted; those that come
// first stay, so a frequent value is nearly always among them.
const mostValues = 50_000

// spread counts values.
type spread struct {
	counts map[uint64]float64
	n      float64
	lost   float64 // values that were not counted because the limit was reached
	// whole is the number of whole numbers, sum is what they add up to.
	whole, sum float64
	low, high  int64 // of the whole numbers
}

func newSpread() *spread { return &spread{counts: map[uint64]float64{}} }

// add counts a value. One without a hash is of a list: its number is known at most.
func (s *spread) add(v value) {
	if v.whole {
		s.extend(v.number, v.number)
		s.whole++
		s.sum += float64(v.number)
	}
	if v.hash == 0 {
		return
	}
	s.n++
	if _, known := s.counts[v.hash]; !known && len(s.counts) >= mostValues {
		s.lost++
		return
	}
	s.counts[v.hash]++
}

// extend takes numbers into the range of the whole numbers, before they are counted.
func (s *spread) extend(low, high int64) {
	if s.whole == 0 {
		s.low, s.high = low, high
	}
	s.low, s.high = min(s.low, low), max(s.high, high)
}

// parameter estimates the probability of a repeated value from the pairs of equal values
// among all pairs. A value that was not counted adds no pair.
func (s *spread) parameter() Parameter {
	pairs := 0.0
	for _, c := range s.counts {
		pairs += c * (c - 1)
	}
	p := Parameter{Count: s.n, Different: float64(len(s.counts)) + s.lost, Repeat: math.NaN(), Whole: s.whole, Mean: math.NaN(), Low: s.low, High: s.high}
	if s.n >= 2 {
		p.Repeat = pairs / (s.n * (s.n - 1))
	}
	if s.whole > 0 {
		p.Mean = s.sum / s.whole
	}
	return p
}

// leastPairs is how many pairs of equal values have to be expected from a uniform
// distribution for the exponent to be estimated: below, chance decides.
const leastPairs = 10

// Exponent is that of the Zipf distribution over n numbers in which a value is repeated as
// often as was seen: the sum of the squared probabilities is H(n, 2s)/H(n, s)^2 (self-join
// size; Alon, Matias and Szegedy 1996). 0 is the uniform distribution; ok is false where too
// few values were seen.
func (p Parameter) Exponent(n int64) (exponent float64, ok bool) {
	pairs := p.Count * (p.Count - 1) / 2
	if n < 2 || math.IsNaN(p.Repeat) || pairs*max(p.Repeat, 1/float64(n)) < leastPairs {
		return 0, false
	}
	// A uniform distribution has a repeat of 1/n, with a standard error of about
	// sqrt(1/n / pairs): what is not clearly above has no skew.
	uniform := 1 / float64(n)
	if p.Repeat < uniform+3*math.Sqrt(uniform/pairs) {
		return 0, true
	}
	low, high := 0.0, 3.0
	for range 40 {
		middle := (low + high) / 2
		if repeatOf(n, middle) < p.Repeat {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Round(100*(low+high)/2) / 100, true
}

// repeatOf is the probability of a repeated value of a Zipf distribution.
func repeatOf(n int64, s float64) float64 {
	h := harmonic(n, s)
	return harmonic(n, 2*s) / (h * h)
}

// harmonic is the sum of k^-s for k up to n: term by term at first, and then by the integral
// with the correction of Euler and Maclaurin, whose error is below 1e-6 there.
func harmonic(n int64, s float64) float64 {
	const exact = 1000
	sum := 0.0
	for k := int64(1); k <= min(n, exact); k++ {
		sum += math.Pow(float64(k), -s)
	}
	if n <= exact {
		return sum
	}
	a, b := float64(exact), float64(n)
	integral := math.Log(b / a)
	if math.Abs(s-1) > 1e-9 {
		integral = (math.Pow(b, 1-s) - math.Pow(a, 1-s)) / (1 - s)
	}
	return sum + integral + (math.Pow(b, -s)-math.Pow(a, -s))/2 - s*(math.Pow(b, -s-1)-math.Pow(a, -s-1))/12
}
