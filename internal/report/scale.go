package report

import (
	"fmt"
	"math"
	"strings"
)

// scale maps the cost in per cent to a place between 0 and 1. One scale serves
// all rows, and it always holds zero and both margins.
type scale struct{ lo, hi float64 }

// scaleOf covers the intervals up to a loss of everything; what lies further is
// drawn as an arrow, never cut without a sign.
func scaleOf(doc *Document) scale {
	margin := float64(doc.Run.MarginPercent)
	s := scale{-margin, margin}
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Interval != nil {
			cost := costOf(c)
			s.lo, s.hi = min(s.lo, max(cost.lo, -100)), max(s.hi, min(cost.hi, 100))
		}
	}
	pad := (s.hi - s.lo) * 0.06
	if pad == 0 {
		pad = 1
	}
	return scale{s.lo - pad, s.hi + pad}
}

func (s scale) at(v float64) float64 { return (v - s.lo) / (s.hi - s.lo) }

// ticks are round values within the scale, about n of them, zero among them.
func (s scale) ticks(n int) []float64 {
	raw := (s.hi - s.lo) / float64(max(1, n))
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw {
			step = f * power
			break
		}
	}
	var all []float64
	for i := math.Ceil(s.lo / step); i*step <= s.hi; i++ {
		all = append(all, i*step)
	}
	return all
}

// label is a tick in as few digits as its step needs.
func label(v float64) string {
	if v = roundTo(v, 6); v == 0 {
		v = 0 // no negative zero
	}
	return trimmed(Number(v))
}

// numbersOf is the cost with its interval, or the words in its place.
func (doc *Document) numbersOf(c *Contrast) string {
	if c.Interval == nil {
		return strings.ToLower(doc.words().word(c.Verdict))
	}
	cost := costOf(c)
	d := cost.digits()
	if cost.lo < -farthest {
		return fmt.Sprintf("%s [%s] %%", decimal(cost.mid, d), doc.words().interval(cost.lo, cost.hi, d))
	}
	return fmt.Sprintf("%s [%s, %s] %%", decimal(cost.mid, d), decimal(cost.lo, d), decimal(cost.hi, d))
}
