package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// maxT is the broken control of C9, and was tare's method until November 2026: the
// half-width of simultaneous 95 % intervals for columns 1..K of y compared with column 0, as
// a multiple of each difference's own standard error. y has one row per round.
//
// The largest |t| of K contrasts is compared with its distribution when the residuals
// from each arm's mean are shuffled between the arms of a round (Westfall & Young,
// Resampling-Based Multiple Testing, 1993). That uses the correlation of arms that share a
// baseline, and takes their variances for equal: the residuals of a noisy arm land on the
// baseline, where all contrasts share them and none is noisier than the others.
func maxT(y [][]float64, draws int, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6d61_7854))
	e := withoutColumnMeans(y)
	null := make([]float64, draws)
	for d := range null {
		for _, row := range e {
			rng.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
		for k := 1; k < len(e[0]); k++ {
			if x := againstBaseline(e, k); Mean(x) != 0 {
				null[d] = math.Max(null[d], math.Abs(Mean(x))/(SD(x)/math.Sqrt(float64(len(x)))))
			}
		}
	}
	slices.Sort(null)
	return null[int(math.Ceil(0.95*float64(draws+1)))-1]
}

// againstBaseline are the differences of column k from column 0, one for each round.
func againstBaseline(y [][]float64, k int) []float64 {
	d := make([]float64, len(y))
	for b, row := range y {
		d[b] = row[k] - row[0]
	}
	return d
}
