package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// TwoStatesMin is how many points a series needs; below, even a perfect split proves nothing.
const TwoStatesMin = 6

const (
	twoStatesAlpha = 0.01   // a mode is a strong claim: it forbids quoting one mean
	smallSeries    = 20     // up to here the values are trial means, above a series in time
	splitDraws     = 9999   // null samples for short series ...
	splitBudget    = 3e5    // ... and the random numbers a longer one may cost
	splitDrawsMin  = 999    // an alpha of .01 still has ten draws behind it
	splitLongest   = 300    // critical R^2 falls with n: that of 300 is safe beyond
	splitStream    = 0x2574 // keeps this null apart from other uses of the same seed
)

// State is one level that a series stays at, in the unit of the series.
type State struct {
	Level float64 // the median of the members that are not passages between states
	Share float64 // of all values, in [0,1]
}

// States says whether a series is better described by two levels than by one.
type States struct {
	Found        bool
	R2, Critical float64 // variance explained by the best split, and what chance reaches 1 time in 100
	States       []State // lower level first; empty unless Found
}

// TwoStatesTest looks for two levels in many series. The null depends on nothing
// but the seed and a series' length, and simulating it takes tens of
// milliseconds, so it is kept. Not for use by several goroutines at once.
type TwoStatesTest struct {
	seed     uint64
	critical map[int]float64 // by length
}

// NewTwoStatesTest fixes the seed of the simulated nulls.
func NewTwoStatesTest(seed uint64) *TwoStatesTest {
	return &TwoStatesTest{seed: seed, critical: map[int]float64{}}
}

// Of looks for two levels in series, which is in time order and has at least 6
// values; a shorter one, or one with a value that is not finite, has none.
//
// The statistic is R^2 of the best split of the sorted values into two groups of
// at least two. Its null is simulated, seeded: normal samples of the same
// length, at the 1 % level. Hartigan's [Dip] is better from about 300 values on,
// but nearly blind below 20. Above 20 values the critical R^2 is also at least
// that of uniform samples, the flattest distribution with one mode: a long
// series that merely drifts from one end to the other is flat, and a normal null
// would call it bimodal.
//
// When two states are found, a value measured while the system passed from one
// to the other belongs to neither level. Such a value lies strictly between its
// two neighbours in time and in another group than one of them; it counts in
// Share but not in Level, unless a state has no other members.
func (t *TwoStatesTest) Of(series []float64) States {
	n := len(series)
	if n < TwoStatesMin || slices.ContainsFunc(series, notFinite) {
		return States{R2: math.NaN(), Critical: math.NaN()}
	}
	sorted := slices.Clone(series)
	slices.Sort(sorted)
	r2, cut := bestSplit(sorted)
	s := States{R2: r2, Critical: t.criticalOf(n)}
	if s.Found = r2 > s.Critical; s.Found {
		s.States = splitStates(series, cut)
	}
	return s
}

func (t *TwoStatesTest) criticalOf(n int) float64 {
	n = min(n, splitLongest)
	c, known := t.critical[n]
	if !known {
		c = splitCritical(n, t.seed)
		t.critical[n] = c
	}
	return c
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// bestSplit finds the split of sorted values into two groups of at least two
// that explains most variance: R^2 = between / total sum of squares. The upper
// group is everything above cut. Equal values are never torn apart.
func bestSplit(sorted []float64) (r2, cut float64) {
	n := len(sorted)
	mean := Mean(sorted)
	var total float64
	for _, v := range sorted {
		total += (v - mean) * (v - mean)
	}
	if total == 0 {
		return 0, sorted[n-1]
	}
	var left float64 // sum of deviations of the lower group; the upper group's is -left
	for i := 1; i <= n-2; i++ {
		left += sorted[i-1] - mean
		if i < 2 || sorted[i-1] == sorted[i] {
			continue
		}
		between := left * left * (1/float64(i) + 1/float64(n-i))
		if between/total > r2 {
			r2, cut = between/total, sorted[i-1]
		}
	}
	return r2, cut
}

func splitCritical(n int, seed uint64) float64 {
	n = min(n, splitLongest)
	rng := rand.New(rand.NewPCG(seed, splitStream+uint64(n)))
	draws := int(math.Max(splitDrawsMin, math.Min(splitDraws, splitBudget/float64(n))))
	c := splitQuantile(n, draws, rng.NormFloat64)
	if n > smallSeries {
		c = math.Max(c, splitQuantile(n, draws, rng.Float64))
	}
	return c
}

// splitQuantile is the value that R^2 of a sample of n from draw exceeds with
// probability twoStatesAlpha. With R draws it is order statistic
// (1-alpha)(R+1), so that the Monte Carlo p-value beyond it is at most alpha.
func splitQuantile(n, draws int, draw func() float64) float64 {
	null := make([]float64, draws)
	sample := make([]float64, n)
	for d := range null {
		for i := range sample {
			sample[i] = draw()
		}
		slices.Sort(sample)
		null[d], _ = bestSplit(sample)
	}
	slices.Sort(null)
	return null[int(math.Ceil((1-twoStatesAlpha)*float64(draws+1)))-1]
}

func splitStates(series []float64, cut float64) []State {
	var all, settled [2][]float64
	for i, v := range series {
		g := above(v, cut)
		all[g] = append(all[g], v)
		if !passage(series, i, cut) {
			settled[g] = append(settled[g], v)
		}
	}
	states := make([]State, 2)
	for g := range states {
		level := settled[g]
		if len(level) == 0 {
			level = all[g]
		}
		states[g] = State{Level: Median(level), Share: float64(len(all[g])) / float64(len(series))}
	}
	return states
}

func above(v, cut float64) int {
	if v > cut {
		return 1
	}
	return 0
}

// passage reports whether the i-th value was measured while the level changed.
func passage(series []float64, i int, cut float64) bool {
	if i == 0 || i == len(series)-1 {
		return false
	}
	before, v, after := series[i-1], series[i], series[i+1]
	between := (before < v && v < after) || (before > v && v > after)
	g := above(v, cut)
	return between && (above(before, cut) != g || above(after, cut) != g)
}
