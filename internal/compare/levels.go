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

func (c *Contrast) levelsOfPairs() {
	var base, arm []float64
	for _, p := range c.Pairs {
		base, arm = append(base, math.Log(p.Baseline)), append(arm, math.Log(p.Arm))
	}
	c.levels(base, arm)
}
