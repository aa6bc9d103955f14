package compare

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Variant is a contrast's effect computed in another way that ought to agree.
type Variant struct {
	Name   string
	Effect float64 // per cent
	// Agrees is false when it lies further from the effect than half the width of
	// its 95 % interval.
	Agrees bool
}

// robustness computes the effect anew from parts of the data, and takes a verdict
// back that hangs on a part. Rounds without a number in some variant are left out
// of it; fewer than five rounds are too few to take anything from.
func (j judge) robustness(c Contrast) Contrast {
	if c.Interval95 == nil || len(c.Pairs) < 5 {
		return c
	}
	d := logRatios(c.Pairs)
	r := stats.RobustnessOf(d)
	c.Variants = []Variant{
		{Name: "second half of every window", Effect: j.secondHalves(c)},
		{Name: "mean without the extreme fifths", Effect: stats.Percent(r.TrimmedMean)},
		{Name: fmt.Sprintf("without round %d, which moves it most", c.Pairs[max(0, r.MostInfluential)].Round),
			Effect: stats.Percent(stats.Mean(d) + r.InfluenceOnTheMean)},
	}
	if effect, without := j.quietEffect(c); without > 0 {
		c.Variants = append(c.Variants, Variant{Name: fmt.Sprintf("without the %s before which the sentinel was off", plural(without, "round")), Effect: effect})
	}
	if effect, rounds := j.withVoids(c); rounds > 0 {
		c.Variants = append(c.Variants, Variant{Name: fmt.Sprintf("with the void rounds (%d)", rounds), Effect: effect})
	}
	half := (c.Interval95.Hi - c.Interval95.Lo) / 2
	for i := range c.Variants {
		v := &c.Variants[i]
		v.Agrees = math.IsNaN(v.Effect) || math.Abs(v.Effect-c.Effect) <= half
		if !v.Agrees && c.Verdict != Inconclusive {
			c.PastMargin = ""
			c = c.say(Inconclusive, fmt.Sprintf("the effect of %.2f %% becomes %.2f %% when computed from another part of the data (%s), further away than its interval is wide: something changed during the run",
				c.Effect, v.Effect, v.Name))
		}
	}
	return c
}

// secondHalves is the effect from the later half of each window alone: what a
// warm-up that was too short leaves behind is in the first.
func (j judge) secondHalves(c Contrast) float64 {
	base, arm := j.arm(c.Baseline, c.Threads), j.arm(c.Arm, c.Threads)
	byRound := map[int]float64{}
	for _, t := range base.firsts() {
		byRound[t.Header.Round] = secondHalf(t)
	}
	var d []float64
	for _, t := range arm.firsts() {
		if v := math.Log(secondHalf(t)) - math.Log(byRound[t.Header.Round]); !math.IsNaN(v) && !math.IsInf(v, 0) {
			d = append(d, v)
		}
	}
	return stats.Percent(stats.Mean(d))
}

func secondHalf(t *record.Trial) float64 {
	s := known(seconds(t))
	if len(s) < 4 {
		return math.NaN()
	}
	return stats.Mean(s[len(s)/2:])
}
