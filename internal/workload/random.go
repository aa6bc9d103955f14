package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Distribution says how row numbers are drawn. Types, parameters and defaults are
// those of sysbench 1.0 (its --rand-... options); zipfian came with 1.1.
type Distribution struct {
	Type    string  // uniform, gaussian, special, pareto or zipfian
	Iter    int     // rand-spec-iter: how many uniform numbers make a gaussian one
	Pct     int     // rand-spec-pct: part of the range that is special, in percent
	Res     int     // rand-spec-res: part of the draws that are special, in percent
	ParetoH float64 // rand-pareto-h
	ZipfExp float64 // rand-zipfian-exp
}

// DefaultDistribution is sysbench 1.0's.
func DefaultDistribution() Distribution {
	return Distribution{Type: "special", Iter: 12, Pct: 1, Res: 75, ParetoH: 0.2, ZipfExp: 0.8}
}

// DistributionTypes lists the distributions by name.
func DistributionTypes() []string {
	return []string{"uniform", "gaussian", "special", "pareto", "zipfian"}
}

// Check says what is wrong with the distribution.
func (d Distribution) Check() error {
	switch {
	case !slices.Contains(DistributionTypes(), d.Type):
		return fmt.Errorf("--rand-type is %q: must be one of %s", d.Type, strings.Join(DistributionTypes(), ", "))
	case d.Iter < 1 || d.Iter > 1000:
		return fmt.Errorf("--rand-spec-iter is %d: must be 1 to 1000", d.Iter)
	case d.Pct < 0 || d.Pct > 100:
		return fmt.Errorf("--rand-spec-pct is %d: must be 0 to 100", d.Pct)
	case d.Res < 0 || d.Res > 99:
		return fmt.Errorf("--rand-spec-res is %d: must be 0 to 99", d.Res)
	case !(d.ParetoH > 0 && d.ParetoH < 1):
		return fmt.Errorf("--rand-pareto-h is %v: must lie between 0 and 1", d.ParetoH)
	case !(d.ZipfExp >= 0 && d.ZipfExp < 100):
		return fmt.Errorf("--rand-zipfian-exp is %v: must be at least 0", d.ZipfExp)
	}
	return nil
}

// Random is one connection's source of random numbers.
type Random struct{ pcg rand.PCG }

// NewRandom returns the source of stream (a connection, a row) of a seed. Equal
// arguments give equal numbers.
func NewRandom(seed, stream uint64) Random {
	var r Random
	r.Seed(seed, stream)
	return r
}

// Seed restarts the source.
func (r *Random) Seed(seed, stream uint64) {
	// PCG streams with neighbouring seeds are alike at first: mix both words.
	r.pcg.Seed(mix(seed), mix(stream^0x9e3779b97f4a7c15))
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Unit returns a number from [0, 1).
func (r *Random) Unit() float64 { return float64(r.pcg.Uint64()>>11) * (1.0 / (1 << 53)) }

// Below returns a number from 0 to n-1.
func (r *Random) Below(n uint32) uint32 {
	// Lemire's multiplication without the rejection: the bias is below 2^-32.
	hi := (r.pcg.Uint64() >> 32) * uint64(n)
	return uint32(hi >> 32)
}

// Uint64 returns 64 random bits.
func (r *Random) Uint64() uint64 { return r.pcg.Uint64() }

// draw is a distribution made ready for drawing, of n rows for the most part. It
// is shared by all connections and not changed.
type draw struct {
	Distribution
	pareto         float64
	zipfS, zipfHX1 float64
	zipfN          uint32
	zipfHN         float64
}

func newDraw(d Distribution, n uint32) draw {
	w := draw{Distribution: d, pareto: math.Log(d.ParetoH) / math.Log(1-d.ParetoH)}
	w.zipfS = 2 - hIntegralInverse(hIntegral(2.5, d.ZipfExp)-math.Pow(2, -d.ZipfExp), d.ZipfExp)
	w.zipfHX1 = hIntegral(1.5, d.ZipfExp) - 1
	w.zipfN, w.zipfHN = n, hIntegral(float64(n)+0.5, d.ZipfExp)
	return w
}

// between draws from [a, b], both included unless the distribution never reaches
// its end (special draws its gaussian part from [a, b), as sysbench does).
func (w *draw) between(r *Random, a, b uint32) uint32 {
	size := float64(b - a)
	switch w.Type {
	case "gaussian":
		return a + uint32(w.bell(r)*(size+1))
	case "special":
		return a + w.special(r, size)
	case "pareto":
		return a + uint32((size+1)*math.Pow(r.Unit(), w.pareto))
	case "zipfian":
		return a + w.zipfian(r, b-a+1) - 1
	default:
		return a + uint32(r.Unit()*(size+1))
	}
}

// bell is the mean of Iter uniform numbers: close to a normal distribution
// around one half.
func (w *draw) bell(r *Random) float64 {
	sum := 0.0
	for range w.Iter {
		sum += r.Unit()
	}
	return sum / float64(w.Iter)
}

// special: Res percent of the draws fall evenly on the Pct percent of rows in the
// middle, the others follow a bell over the whole range.
func (w *draw) special(r *Random, size float64) uint32 {
	u := r.Unit()
	if u*100 < float64(100-w.Res) {
		return uint32(w.bell(r) * size)
	}
	width := size * float64(w.Pct) / 100
	// sysbench reuses the first draw, so that what is left of it, from 1 - Res/100
	// to 1, is spread over the width: the lowest quarter of it is never drawn when
	// Res is 75. This is its distribution, so it is ours.
	return uint32(u*(width+1) + size/2 - width/2)
}

// zipfian draws from 1 to n by rejection-inversion (Hörmann and Derflinger, ACM
// TOMACS 6.3, 1996), extended to exponents up to 1 as in Apache Commons RNG.
func (w *draw) zipfian(r *Random, n uint32) uint32 {
	e := w.ZipfExp
	hn := w.zipfHN
	if w.zipfN != n {
		hn = hIntegral(float64(n)+0.5, e)
	}
	for {
		u := hn + r.Unit()*(w.zipfHX1-hn)
		x := hIntegralInverse(u, e)
		k := min(max(math.Floor(x+0.5), 1), float64(n))
		if k-x <= w.zipfS || u >= hIntegral(k+0.5, e)-math.Exp(-e*math.Log(k)) {
			return uint32(k)
		}
	}
}

// hIntegral is (x^(1-e) - 1) / (1 - e), whose limit at e = 1 is ln x.
func hIntegral(x, e float64) float64 {
	l := math.Log(x)
	return expm1Ratio((1-e)*l) * l
}

func hIntegralInverse(x, e float64) float64 {
	t := max(x*(1-e), -1)
	return math.Exp(log1pRatio(t) * x)
}

// log1pRatio is ln(1+x)/x, also near 0.
func log1pRatio(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Log1p(x) / x
	}
	return 1 - x*(0.5-x*(1.0/3-x*0.25))
}

// expm1Ratio is (e^x - 1)/x, also near 0.
func expm1Ratio(x float64) float64 {
	if math.Abs(x) > 1e-8 {
		return math.Expm1(x) / x
	}
	return 1 + x*0.5*(1+x*(1.0/3)*(1+x*0.25))
}
