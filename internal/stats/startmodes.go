package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// StartModes says whether some of a contrast's rounds are of another kind than the rest, as when a
// server starts in one of two states.
type StartModes struct {
	Found bool
	// Fewer are the indices of the rounds of the rarer kind; of the lower kind where both are equally
	// frequent.
	Fewer []int
	// Gap is the mean of these less that of the others, in the unit of the values.
	Gap float64
	// Lo95 and Hi95 bound the share of the rarer kind in all starts (Clopper & Pearson, Biometrika
	// 26, 1934), from 0 to 1.
	Lo95, Hi95 float64
}

// startLevel is the error rate of each of the two tests of [StartModesOf].
const startLevel = 0.01

// StartModesOf looks for two kinds of rounds among at least [TwoStatesMin] values, one a round: two
// groups of at least two rounds ([TwoStatesTest.Of]), or a single round that lies outside of the
// others (Grubbs, Annals of Mathematical Statistics 21, 1950), each at 1 %.
func StartModesOf(x []float64, test *TwoStatesTest) StartModes {
	if len(x) < TwoStatesMin || slices.ContainsFunc(x, notFinite) || SD(x) == 0 {
		return StartModes{}
	}
	fewer := smallerGroup(x, test)
	if len(fewer) == 0 {
		fewer = singleOutlier(x)
	}
	if len(fewer) == 0 {
		return StartModes{}
	}
	var few, rest []float64
	for i, v := range x {
		if slices.Contains(fewer, i) {
			few = append(few, v)
		} else {
			rest = append(rest, v)
		}
	}
	m := StartModes{Found: true, Fewer: fewer, Gap: Mean(few) - Mean(rest)}
	m.Lo95, m.Hi95 = ShareInterval(len(few), len(x))
	return m
}

func smallerGroup(x []float64, test *TwoStatesTest) []int {
	if !test.Of(x).Found {
		return nil
	}
	sorted := slices.Sorted(slices.Values(x))
	_, cut := bestSplit(sorted)
	var groups [2][]int
	for i, v := range x {
		groups[above(v, cut)] = append(groups[above(v, cut)], i)
	}
	if len(groups[1]) < len(groups[0]) {
		return groups[1]
	}
	return groups[0]
}

func singleOutlier(x []float64) []int {
	n, m := float64(len(x)), Mean(x)
	most := 0
	for i, v := range x {
		if math.Abs(v-m) > math.Abs(x[most]-m) {
			most = i
		}
	}
	t := tQuantile(1-startLevel/(2*n), n-2)
	if math.Abs(x[most]-m)/SD(x) <= (n-1)/math.Sqrt(n)*math.Sqrt(t*t/(n-2+t*t)) {
		return nil
	}
	return []int{most}
}

// ShareInterval is the 95 % interval of a probability that was seen k times in n (Clopper & Pearson).
func ShareInterval(k, n int) (lo, hi float64) {
	lo, hi = 0, 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return lo, hi
}
