package compare

// This file is the throughputs that are shown with a change.

import (
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// levels are the geometric means of throughputs given as logarithms: the only figures that give the change beside them.
func (c *Contrast) levels(base, arm []float64) {
	c.BaselineLevel, c.ArmLevel = math.Exp(stats.Mean(base)), math.Exp(stats.Mean(arm))
}

// geometricMean is NaN of no throughputs, and one throughput itself.
func geometricMean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	ratios := make([]float64, len(x))
	for i, v := range x {
		ratios[i] = math.Log(v / x[0])
	}
	return x[0] * math.Exp(stats.Mean(ratios))
}

// levelsOfArms gives each arm the throughput that its changes were computed from, so that a report has one throughput of
// an arm and the ratio of two is the change beside them. An arm that is in changes over different rounds, as a baseline
// may be, keeps the geometric mean of all its trials.
func (res *Result) levelsOfArms() {
	for i := range res.Arms {
		a := &res.Arms[i]
		level, one := math.NaN(), true
		for _, c := range res.Contrasts {
			of := math.NaN()
			switch {
			case c.Threads != a.Threads:
			case c.Arm == a.Name:
				of = c.ArmLevel
			case c.Baseline == a.Name:
				of = c.BaselineLevel
			}
			if math.IsNaN(of) {
				continue
			}
			one = one && (math.IsNaN(level) || math.Abs(of-level) <= 1e-9*level)
			level = of
		}
		if one && !math.IsNaN(level) {
			if res.Find == nil { // the queries are of other windows than the highest rate
				a.Queries *= level / a.Mean // as many for each transaction
			}
			a.Mean = level
		}
	}
}

func (c *Contrast) levelsOfPairs() {
	var base, arm []float64
	for _, p := range c.Pairs {
		base, arm = append(base, math.Log(p.Baseline)), append(arm, math.Log(p.Arm))
	}
	c.levels(base, arm)
}
