package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Simultaneous is one of several comparisons with the same baseline whose
// intervals hold all at once.
type Simultaneous struct {
	Mean       float64 // of y[round][k] - y[round][0], log scale
	SE         float64
	T          float64 // Mean/SE
	Lo95, Hi95 float64 // simultaneous 95 % interval
	Lo90, Hi90 float64 // simultaneous 90 % interval
	P          float64 // family-wise: the chance that any of the T would be as large
}

// MaxT compares columns 1..K of y with column 0, the baseline. y has one row
// per round and one column per arm, on the log scale; the answer has K entries.
//
// Arms that share a baseline are correlated, which Bonferroni and Holm ignore.
// Here the null distribution of the largest |t| comes from shuffling labels
// within rounds (Westfall & Young, Resampling-Based Multiple Testing, 1993),
// which is what the randomised order of the rounds licenses. Shuffled are the
// residuals from each arm's mean, so that an arm with a large effect does not
// widen the others' intervals. Each difference keeps its own standard error:
// a pooled one misses a noisy arm 19 % of the time.
//
// draws shuffles are made (399 is enough for an interval, 9999 for a p-value to
// quote), from seed. An error says that y is ragged, has a value that is not
// finite, or has fewer than 2 arms or 3 rounds.
func MaxT(y [][]float64, draws int, seed uint64) ([]Simultaneous, error) {
	if err := checkRounds(y, 3, 2); err != nil {
		return nil, fmt.Errorf("compare arms: %w", err)
	}
	if draws < 19 {
		return nil, fmt.Errorf("compare arms: %d shuffles cannot resolve 5 %%", draws)
	}
	family := againstFirst(y)
	null := maxTNull(y, draws, seed)
	critical := func(level float64) float64 { return null[int(math.Ceil(level*float64(draws+1)))-1] }
	h95, h90 := critical(0.95), critical(0.90)
	for k := range family {
		f := &family[k]
		f.Lo95, f.Hi95 = f.Mean-h95*f.SE, f.Mean+h95*f.SE
		f.Lo90, f.Hi90 = f.Mean-h90*f.SE, f.Mean+h90*f.SE
		below, _ := slices.BinarySearch(null, math.Abs(f.T))
		f.P = float64(1+draws-below) / float64(draws+1)
	}
	return family, nil
}

func checkRounds(y [][]float64, rounds, arms int) error {
	if len(y) < rounds {
		return fmt.Errorf("%d rounds, need %d", len(y), rounds)
	}
	for b, row := range y {
		if len(row) != len(y[0]) || len(row) < arms {
			return fmt.Errorf("round %d has %d arms, the first %d, need %d", b, len(row), len(y[0]), arms)
		}
		if slices.ContainsFunc(row, notFinite) {
			return fmt.Errorf("round %d has a value that is not finite", b)
		}
	}
	return nil
}

// againstFirst is the paired difference of each later column from column 0.
func againstFirst(y [][]float64) []Simultaneous {
	family := make([]Simultaneous, len(y[0])-1)
	for k := range family {
		mean, se := columnDifference(y, k+1)
		family[k] = Simultaneous{Mean: mean, SE: se, T: mean / se}
		if mean == 0 {
			family[k].T = 0 // two identical columns
		}
	}
	return family
}

func columnDifference(y [][]float64, k int) (mean, se float64) {
	n := float64(len(y))
	for _, row := range y {
		mean += (row[k] - row[0]) / n
	}
	var ss float64
	for _, row := range y {
		d := row[k] - row[0] - mean
		ss += d * d
	}
	return mean, math.Sqrt(ss / (n - 1) / n)
}

// maxTNull is the sorted largest |t| of each shuffle.
func maxTNull(y [][]float64, draws int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6d61_7854))
	e := withoutColumnMeans(y)
	null := make([]float64, draws)
	for d := range null {
		for _, row := range e {
			rng.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
		for k := 1; k < len(e[0]); k++ {
			if mean, se := columnDifference(e, k); mean != 0 {
				null[d] = math.Max(null[d], math.Abs(mean/se))
			}
		}
	}
	slices.Sort(null)
	return null
}

func withoutColumnMeans(y [][]float64) [][]float64 {
	e := make([][]float64, len(y))
	for b, row := range y {
		e[b] = slices.Clone(row)
	}
	for k := range y[0] {
		var mean float64
		for b := range y {
			mean += y[b][k] / float64(len(y))
		}
		for b := range e {
			e[b][k] -= mean
		}
	}
	return e
}
