package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Screened is one metric of many that were compared with the same outcome.
type Screened struct {
	R float64 // correlation; NaN for a metric that is constant
	P float64 // family-wise: the chance that any of the metrics would reach |R|
}

// Screen gives the rank correlation of each metric with y over arms, and for each
// a p-value that knows how many were tried: among 40 metrics without any relation
// to y, the largest of 40 correlations over six arms is below .05 on its own 87 %
// of the time. metrics[m] and y have one value per arm. The null distribution of
// the largest |rho| comes from draws reorderings of y (Westfall & Young 1993),
// which keeps the correlation among the metrics.
//
// n arms have n! orders, and a metric in perfect order has 2/n! of them to itself:
// m metrics can only be told from chance while m*2/n! is below .05, that is 18
// metrics over six arms and 126 over seven.
//
// Correlation over arms only suggests; a metric that is a function of throughput
// (switches per second) correlates by construction, so screen per-operation ones.
func Screen(metrics [][]float64, y []float64, draws int, seed uint64) ([]Screened, error) {
	if err := checkMetrics(metrics, len(y)); err != nil {
		return nil, fmt.Errorf("screen metrics: %w", err)
	}
	unit := make([][]float64, len(metrics))
	for m, x := range metrics {
		unit[m] = unitLength(ranks(x))
	}
	outcome := unitLength(ranks(y))
	rng := rand.New(rand.NewPCG(seed, 0x7363_7265))
	reorder := func() { rng.Shuffle(len(outcome), func(i, j int) { outcome[i], outcome[j] = outcome[j], outcome[i] }) }
	return familyWise(unit, outcome, reorder, draws), nil
}

func checkMetrics(metrics [][]float64, arms int) error {
	if arms < 4 {
		return fmt.Errorf("%d arms, need 4", arms)
	}
	for m, x := range metrics {
		if len(x) != arms || slices.ContainsFunc(x, notFinite) {
			return fmt.Errorf("metric %d does not hold %d finite values", m, arms)
		}
	}
	return nil
}

// familyWise compares each |r| with the largest |r| of every reordering of the
// outcome. It reorders outcome in place.
func familyWise(unit [][]float64, outcome []float64, reorder func(), draws int) []Screened {
	found := make([]Screened, len(unit))
	for m, x := range unit {
		found[m] = Screened{R: dot(x, outcome), P: 1}
	}
	largest := make([]float64, draws)
	for d := range largest {
		reorder()
		for _, x := range unit {
			if r := math.Abs(dot(x, outcome)); r > largest[d] {
				largest[d] = r // a NaN is never larger
			}
		}
	}
	slices.Sort(largest)
	for m := range found {
		f := &found[m]
		if math.IsNaN(f.R) {
			f.P = math.NaN()
			continue
		}
		below, _ := slices.BinarySearch(largest, math.Abs(f.R)-1e-9)
		f.P = float64(1+draws-below) / float64(draws+1)
	}
	return found
}

// unitLength centres x and scales it, so that a dot product is a correlation;
// all NaN when x is constant.
func unitLength(x []float64) []float64 {
	u := withoutMean(x)
	length := math.Sqrt(dot(u, u))
	for i := range u {
		if length > 1e-12*math.Abs(x[i]) {
			u[i] /= length
		} else {
			u[i] = math.NaN()
		}
	}
	return u
}
