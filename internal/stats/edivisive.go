package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

const eDivisiveMin = 2 // values a part must keep: one value has no spread within

// EDivisive finds changes of distribution in a history of independent values,
// one per campaign, and returns the indices at which a new stretch begins,
// rising. It is the hierarchical E-divisive procedure of Matteson & James (JASA
// 109, 2014; arXiv 1306.4933): the split with the largest energy distance over
// all stretches is kept if no more than alpha of draws random reorderings within
// the stretches reach it, and the search goes on until one is not.
//
// It must not be given the seconds of a trial: reordering assumes independence,
// and at rho .6 it finds a change in 73 % of stationary series. [SelfNormalised]
// is for those. A t-test at the best split, as Hunter and Otava do, was rejected:
// the split is chosen to be extreme, so p < .01 comes up 15 % of the time.
func EDivisive(x []float64, alpha float64, draws int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0x6564_6976))
	cuts := []int{0, len(x)}
	for {
		q, at := bestOfStretches(x, cuts)
		if at < 0 || shuffledSplitP(rng, x, cuts, q, draws) > alpha {
			return cuts[1 : len(cuts)-1]
		}
		i, _ := slices.BinarySearch(cuts, at)
		cuts = slices.Insert(cuts, i, at)
	}
}

func bestOfStretches(x []float64, cuts []int) (q float64, at int) {
	at = -1
	for i := 1; i < len(cuts); i++ {
		if s, k := EnergySplit(x[cuts[i-1]:cuts[i]]); k > 0 && (at < 0 || s > q) {
			q, at = s, cuts[i-1]+k
		}
	}
	return q, at
}

func shuffledSplitP(rng *rand.Rand, x []float64, cuts []int, q float64, draws int) float64 {
	y := slices.Clone(x)
	hits := 1
	for range draws {
		for i := 1; i < len(cuts); i++ {
			part := y[cuts[i-1]:cuts[i]]
			rng.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
		}
		if s, _ := bestOfStretches(y, cuts); s >= q-1e-12*math.Abs(q) {
			hits++
		}
	}
	return float64(hits) / float64(draws+1)
}

// EnergySplit is the largest scaled energy distance between a beginning and an
// end of x, and the index at which that end begins; -1 below four values:
//
//	q = mn/(m+n) [ 2/(mn) sum|x_i-y_j| - 2/(m(m-1)) sum_{i<k}|x_i-x_k| - 2/(n(n-1)) sum_{j<k}|y_j-y_k| ]
//
// The three sums are carried along from split to split, so it is quadratic.
func EnergySplit(x []float64) (q float64, at int) {
	toLeft, toAll := distanceSums(x)
	var right, left float64
	for _, v := range toAll {
		right += v / 2
	}
	total := right
	at = -1
	for k := 1; k <= len(x)-eDivisiveMin; k++ {
		left += toLeft[k-1]
		right -= toAll[k-1] - toLeft[k-1]
		if k < eDivisiveMin {
			continue
		}
		m, n := float64(k), float64(len(x)-k)
		e := 2/(m*n)*(total-left-right) - 2/(m*(m-1))*left - 2/(n*(n-1))*right
		if s := m * n / (m + n) * e; at < 0 || s > q {
			q, at = s, k
		}
	}
	return q, at
}

// distanceSums gives for each value its summed distance to the values before it,
// and to all.
func distanceSums(x []float64) (toLeft, toAll []float64) {
	toLeft, toAll = make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		for j, w := range x[:i] {
			d := math.Abs(v - w)
			toLeft[i] += d
			toAll[i] += d
			toAll[j] += d
		}
	}
	return toLeft, toAll
}
