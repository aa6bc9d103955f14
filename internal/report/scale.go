package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
)

// Scale maps the cost in % to a place between 0 and 1. One scale serves
// all rows, and it always holds zero and both margins.
type Scale struct{ Lo, Hi float64 }

// ScaleOf covers the intervals up to a loss of everything; what lies further is
// drawn as an arrow, never cut without a sign.
func ScaleOf(doc *Document) Scale {
	margin := float64(doc.Run.MarginPercent)
	s := Scale{-margin, margin}
	for i := range doc.Contrasts {
		if c := &doc.Contrasts[i]; c.Interval != nil {
			cost := CostOf(c)
			s.Lo, s.Hi = min(s.Lo, max(cost.Lo, -100)), max(s.Hi, min(cost.Hi, 100))
		}
	}
	pad := (s.Hi - s.Lo) * 0.06
	if pad == 0 {
		pad = 1
	}
	return Scale{s.Lo - pad, s.Hi + pad}
}

// At is the place of a value, 0 at the lower end and 1 at the upper.
func (s Scale) At(v float64) float64 { return (v - s.Lo) / (s.Hi - s.Lo) }

// Ticks are round values within the scale, about n of them, zero among them.
func (s Scale) Ticks(n int) []float64 {
	raw := (s.Hi - s.Lo) / float64(max(1, n))
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, f := range []float64{1, 2, 5} {
		if f*power >= raw {
			step = f * power
			break
		}
	}
	var all []float64
	for i := math.Ceil(s.Lo / step); i*step <= s.Hi; i++ {
		all = append(all, i*step)
	}
	return all
}

// TickLabel is a tick in as few digits as its step needs.
func TickLabel(v float64) string {
	if v = language.Round(v, 6); v == 0 {
		v = 0 // no negative zero
	}
	return Trimmed(Number(v))
}

// NumbersOf is the cost with its interval, or the words in its place.
func (doc *Document) NumbersOf(c *Contrast) string {
	if c.Interval == nil {
		return strings.ToLower(doc.Language().Word(c.Shown()))
	}
	cost := CostOf(c)
	d := cost.Digits()
	in := language.Decimal(cost.Lo, d) + ", " + language.Decimal(cost.Hi, d)
	if cost.Lo < -language.Farthest {
		in = doc.Language().Interval(cost.Lo, cost.Hi, d)
	}
	return doc.Say("percent", "x", fmt.Sprintf("%s [%s]", language.Decimal(cost.Mid, d), in))
}
