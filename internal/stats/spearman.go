package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	exactOrders   = 9 // 9! = 362 880 orders, some milliseconds
	spearmanDraws = 9999
	spearmanSeed  = 0x7370_6561
)

// Spearman is the rank correlation of paired values with its two-sided
// permutation p: exact up to 9 pairs, from 9999 seeded reorderings above. The
// smallest p is 2/n! (.083 for four arms, .017 for five): with few arms even a
// perfect order proves little. NaN for unequal lengths, fewer than 3 pairs, or a
// side that is constant.
func Spearman(x, y []float64) (rho, p float64) {
	if len(x) != len(y) || len(x) < 3 || slices.ContainsFunc(x, notFinite) || slices.ContainsFunc(y, notFinite) {
		return math.NaN(), math.NaN()
	}
	a, b := ranks(x), ranks(y)
	rho = covariance(a, b) / math.Sqrt(Variance(a)*Variance(b))
	if math.IsNaN(rho) {
		return rho, rho
	}
	// Of the correlation only sum a_i*b_i changes with the order; centred, it is
	// 0 on average, and ranks are multiples of 1/2, so 1e-9 absorbs all rounding.
	a, b = withoutMean(a), withoutMean(b)
	bar := math.Abs(dot(a, b)) - 1e-9
	if len(x) <= exactOrders {
		return rho, allOrdersP(a, b, bar)
	}
	return rho, someOrdersP(a, b, bar)
}

// ranks are 1..n, ties sharing their average.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	r := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return r
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// allOrdersP walks all orders of b by Heap's algorithm: one swap a step, so the
// sum needs two terms, not n.
func allOrdersP(a, b []float64, bar float64) float64 {
	b = slices.Clone(b)
	sum := dot(a, b)
	hits, total := 0, 0
	count := func() {
		total++
		if math.Abs(sum) >= bar {
			hits++
		}
	}
	state := make([]int, len(b))
	count()
	for i := 1; i < len(b); {
		if state[i] >= i {
			state[i] = 0
			i++
			continue
		}
		j := 0
		if i%2 == 1 {
			j = state[i]
		}
		sum += (a[i] - a[j]) * (b[j] - b[i])
		b[i], b[j] = b[j], b[i]
		count()
		state[i]++
		i = 1
	}
	return float64(hits) / float64(total)
}

func someOrdersP(a, b []float64, bar float64) float64 {
	rng := rand.New(rand.NewPCG(spearmanSeed, uint64(len(a))))
	b = slices.Clone(b)
	hits := 1
	for range spearmanDraws {
		rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		if math.Abs(dot(a, b)) >= bar {
			hits++
		}
	}
	return float64(hits) / (spearmanDraws + 1)
}

// SpearmanWithoutOne repeats [Spearman] with each pair left out in turn and
// keeps the worst p. One bad arm without any causal link makes a correlation over
// a handful of arms "significant" nine times in ten; without that arm it
// vanishes (TestC10Screening). Cook's distance was rejected: with six points it
// says nothing, and leaving out is exact and cheap.
func SpearmanWithoutOne(x, y []float64) (worst float64) {
	if len(x) != len(y) || len(x) < 4 {
		return math.NaN()
	}
	for i := range x {
		_, p := Spearman(without(x, i), without(y, i))
		worst = math.Max(worst, p) // math.Max passes NaN on: a constant rest supports nothing
	}
	return worst
}

func without(x []float64, i int) []float64 { return slices.Concat(x[:i], x[i+1:]) }
