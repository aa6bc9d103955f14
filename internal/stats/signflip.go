package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	// exactFlips is the largest n for which all 2^(n-1) sign patterns are
	// visited: half a million steps, a few milliseconds.
	exactFlips = 20
	flipDraws  = 19999
	flipSeed   = 0x7461_7265 // fixed, so that a report recomputes to the same digits
)

// SignFlipP is the two-sided sign-flip (Fisher randomisation) p-value for "the
// mean of x is zero": the share of sign patterns whose |sum| reaches the
// observed one. It assumes symmetry about zero, which within-round
// randomisation of two equal arms guarantees, and nothing about the shape.
//
// Up to 20 values it is exact, so it cannot fall below 2/2^n (0.0625 for five
// rounds); above, 19 999 seeded random patterns are drawn and the observed one
// counted among them (Phipson & Smyth, SAGMB 9, 2010), so p is never zero.
// NaN when x is empty or holds a NaN or infinity.
func SignFlipP(x []float64) float64 {
	var sum, abs float64
	for _, v := range x {
		sum += v
		abs += math.Abs(v)
	}
	if len(x) == 0 || math.IsNaN(abs) || math.IsInf(abs, 0) {
		return math.NaN()
	}
	// Patterns that tie with the observed one in exact arithmetic must not be
	// lost to rounding.
	bar := math.Abs(sum) - 1e-11*abs
	if len(x) <= exactFlips {
		return exactFlipP(x, sum, bar)
	}
	return sampledFlipP(x, bar)
}

// exactFlipP walks the sign patterns in Gray code order, so that each step
// flips one sign. The last sign never flips: the mirrored half of the patterns
// has the same |sum|.
func exactFlipP(x []float64, sum, bar float64) float64 {
	free := len(x) - 1
	total := uint64(1) << free
	flipped := make([]bool, free)
	hits := 1 // the observed pattern
	for i := uint64(1); i < total; i++ {
		j := bits.TrailingZeros64(i)
		if flipped[j] {
			sum += 2 * x[j]
		} else {
			sum -= 2 * x[j]
		}
		flipped[j] = !flipped[j]
		if math.Abs(sum) >= bar {
			hits++
		}
	}
	return float64(hits) / float64(total)
}

func sampledFlipP(x []float64, bar float64) float64 {
	rng := rand.New(rand.NewPCG(flipSeed, uint64(len(x))))
	hits := 1
	for range flipDraws {
		if math.Abs(flippedSum(rng, x)) >= bar {
			hits++
		}
	}
	return float64(hits) / (flipDraws + 1)
}

func flippedSum(rng *rand.Rand, x []float64) float64 {
	var sum float64
	var signs uint64
	for i, v := range x {
		if i%64 == 0 {
			signs = rng.Uint64()
		}
		if signs&1 == 0 {
			sum += v
		} else {
			sum -= v
		}
		signs >>= 1
	}
	return sum
}
