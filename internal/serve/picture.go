// Each run's intervals as a small picture beside its answer, and the arms and threads
// they are of.

package serve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report"
)

// Interval is the effect of one arm on throughput in percent, below zero where it is
// slower, with its 95% interval where there is one.
type Interval struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// Baseline is what it is compared with, Metric what is compared: throughput or capacity.
	Baseline string      `json:"baseline"`
	Metric   string      `json:"metric"`
	Effect   float64     `json:"effect_percent"`
	Bounds   *[2]float64 `json:"interval"`
	Verdict  string      `json:"verdict"`
}

// interval takes over what a contrast has; false where it has no effect.
func interval(c report.Contrast) (Interval, bool) {
	i := Interval{Arm: c.Arm, Threads: c.Threads, Baseline: c.Baseline, Metric: c.Metric, Effect: float64(c.EffectPercent), Verdict: c.Verdict}
	if in := c.Interval; in != nil && in[0].Known() && in[1].Known() {
		i.Bounds = &[2]float64{float64(in[0]), float64(in[1])}
	}
	return i, c.EffectPercent.Known()
}

// cost is the effect as every page shows it: positive where the arm is slower.
func (i Interval) cost() float64 { return 0 - i.Effect } // no negative zero

// costBounds are those of the cost, NaN where there is no interval.
func (i Interval) costBounds() (lo, hi float64) {
	if i.Bounds == nil {
		return math.NaN(), math.NaN()
	}
	return 0 - i.Bounds[1], 0 - i.Bounds[0]
}

// costText is the cost with its interval.
func costText(i Interval) string {
	text := fmt.Sprintf("%.1f %%", i.cost())
	if lo, hi := i.costBounds(); i.Bounds != nil {
		text += fmt.Sprintf(" [%.1f, %.1f]", lo, hi)
	}
	return text
}

// Sizes of a picture, in its own units: a run of many contrasts shows the first ones.
const (
	pictureWidth = 140.0
	pictureRow   = 14.0
	pictureRows  = 8
)

// picture is what the list draws of a run.
type picture struct {
	Height, Zero float64
	Rows         []pictureLine
	// Text says the same, for those who do not see it.
	Text string
}

// pictureLine is one interval; From and To are equal where there is none.
type pictureLine struct {
	From, To, At, Y float64
	Verdict         string
}

// pictureOf draws a run's intervals around zero as the report does, a slower arm to the
// right, on a scale of its own; nil where there is nothing to draw. Every scale contains
// zero, so that the side is what is seen.
func pictureOf(s Summary) *picture {
	shown := s.Intervals[:min(len(s.Intervals), pictureRows)]
	if len(shown) == 0 {
		return nil
	}
	most := 1.0 // percent; less than that is drawn small
	for _, i := range shown {
		most = max(most, math.Abs(i.Effect))
		if i.Bounds != nil {
			most = max(most, math.Abs(i.Bounds[0]), math.Abs(i.Bounds[1]))
		}
	}
	x := func(percent float64) float64 {
		return math.Round(10*(pictureWidth/2+percent/most*(pictureWidth/2-4))) / 10
	}
	p := &picture{Height: pictureRow * float64(len(shown)), Zero: x(0)}
	var text []string
	for n, i := range shown {
		at := x(i.cost())
		line := pictureLine{From: at, To: at, At: at, Y: pictureRow * (float64(n) + 0.5), Verdict: i.Verdict}
		if lo, hi := i.costBounds(); i.Bounds != nil {
			line.From, line.To = x(lo), x(hi)
		}
		p.Rows, text = append(p.Rows, line), append(text, i.Arm+" "+costText(i))
	}
	p.Text = strings.Join(text, "; ")
	return p
}

// Arms are the arms that were compared with the baseline, and Levels the numbers of
// threads, in the order of the verdict.
func (s *Summary) Arms() []string {
	var all []string
	for _, i := range s.Intervals {
		if !slices.Contains(all, i.Arm) {
			all = append(all, i.Arm)
		}
	}
	return all
}

// Levels are the numbers of threads.
func (s *Summary) Levels() []int {
	var all []int
	for _, i := range s.Intervals {
		if !slices.Contains(all, i.Threads) {
			all = append(all, i.Threads)
		}
	}
	return all
}
