package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// TrendPoint is the cost of an arm in one run, in % and positive where it is slower, with
// its 95 % interval; Lo and Hi are NaN where it has none, and Cost where the run lacks the arm. Link leads to the run,
// Text is what a pointer at it shows.
type TrendPoint struct {
	Cost, Lo, Hi        float64
	Verdict, Link, Text string
}

// Sizes of a trend: as wide as the report's charts.
const (
	trendWidth, trendHeight = 960.0, 210.0
	trendLeft, trendRight   = 70.0, 940.0
	trendTop, trendBottom   = 14.0, 170.0
)

// Trend draws the points from left to right, each with its number below it, over the
// margin and zero. It holds no words, so that it is the same in every language.
func Trend(title string, margin float64, points []TrendPoint) template.HTML {
	c := newCanvas(trendWidth, trendHeight, "static", title)
	s := trendScale(margin, points)
	y := func(cost float64) float64 {
		return trendBottom - math.Min(1, math.Max(0, s.At(cost)))*(trendBottom-trendTop)
	}
	c.rect(trendLeft, y(margin), trendRight-trendLeft, math.Max(1, y(-margin)-y(margin)), "band")
	for _, t := range s.Ticks(5) {
		c.line(trendLeft, y(t), trendRight, y(t), "grid")
		c.say(trendLeft-8, y(t)+4.5, "end", "ax", language.Minus(report.TickLabel(t))+"\u202f%")
	}
	c.line(trendLeft, y(0), trendRight, y(0), "zero")
	step := (trendRight - trendLeft) / float64(max(1, len(points)))
	every := max(1, int(math.Ceil(26/step))) // numbers do not overlap
	for i, p := range points {
		x := trendLeft + (float64(i)+0.5)*step
		if !math.IsNaN(p.Cost) {
			c.trendPoint(p, x, s, y)
		}
		if i%every == 0 {
			c.say(x, trendBottom+22, "middle", "ax", fmt.Sprint(i+1))
		}
	}
	// Not an image: its points are links.
	return template.HTML(strings.Replace(string(c.done()), `role="img"`, `role="group"`, 1))
}

// trendPoint marks a bound beyond the scale, as the other charts do.
func (c *canvas) trendPoint(p TrendPoint, x float64, s report.Scale, y func(float64) float64) {
	token := report.MarkOf(p.Verdict).Token
	fmt.Fprintf(&c.b, `<a href="%s"><title>%s</title>`, template.HTMLEscapeString(p.Link), escape(p.Text))
	if !math.IsNaN(p.Lo) && !math.IsNaN(p.Hi) {
		c.line(x, y(p.Lo), x, y(p.Hi), "i95 s-"+token)
		for _, bound := range []float64{p.Lo, p.Hi} { // seen also where the interval is shorter than the dot
			c.line(x-8, y(bound), x+8, y(bound), "i95 s-"+token)
		}
		if p.Hi > s.Hi {
			c.path(fmt.Sprintf("M%s %s l-6 9 h12 z", px(x), px(trendTop-4)), "f-"+token)
		}
		if p.Lo < s.Lo {
			c.path(fmt.Sprintf("M%s %s l-6 -9 h12 z", px(x), px(trendBottom+4)), "f-"+token)
		}
	}
	c.dot(x, y(p.Cost), 4, "point f-"+token)
	c.b.WriteString("</a>")
}

// trendScale covers zero, the margin, and the intervals up to a loss of everything.
func trendScale(margin float64, points []TrendPoint) report.Scale {
	s := report.Scale{Lo: -margin, Hi: margin}
	for _, p := range points {
		for _, v := range []float64{p.Cost, p.Lo, p.Hi} {
			if !math.IsNaN(v) {
				s.Lo, s.Hi = min(s.Lo, max(v, -100)), max(s.Hi, min(v, 100))
			}
		}
	}
	pad := math.Max((s.Hi-s.Lo)*0.06, 0.01)
	return report.Scale{Lo: s.Lo - pad, Hi: s.Hi + pad}
}
