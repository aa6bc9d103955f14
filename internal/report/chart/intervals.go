package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Intervals is the chart that a reader sees first, drawn here so that it
// needs no script: once for a desk and once for a telephone.
func Intervals(doc *report.Document) template.HTML {
	return intervalsWide(doc) + intervalsNarrow(doc)
}

// plotArea is where the costs are drawn.
type plotArea struct {
	*canvas
	report.Scale
	left, right, top, bottom float64
}

func (p plotArea) x(cost float64) float64 {
	return p.left + math.Min(1, math.Max(0, p.At(cost)))*(p.right-p.left)
}

func intervalsWide(doc *report.Document) template.HTML {
	const row, head = 46.0, 30.0
	n := float64(len(doc.Contrasts))
	c := newCanvas(960, head+n*row+30, "static wide", doc.Say("figure.intervals"))
	p := plotArea{c, report.ScaleOf(doc), 190, 690, head, head + n*row}
	p.frame(doc, 9)
	for i := range doc.Contrasts {
		y := head + (float64(i)+0.5)*row
		con := &doc.Contrasts[i]
		c.say(p.left-16, y+5, "end", "name", safe.Cut(doc.Label(con.Arm, con.Threads), 22))
		p.interval(doc, con, y)
		c.say(p.right+18, y+5, "start", "num", numbersOfPage(doc, con))
		c.say(952, y+5, "end", "word t-"+report.MarkOf(con.Shown()).Token, report.MarkOf(con.Shown()).Glyph)
	}
	return c.done()
}

func intervalsNarrow(doc *report.Document) template.HTML {
	const row, head = 66.0, 30.0
	n := float64(len(doc.Contrasts))
	c := newCanvas(360, head+n*row+30, "static narrow", doc.Say("figure.intervals"))
	p := plotArea{c, report.ScaleOf(doc), 12, 348, head, head + n*row}
	p.frame(doc, 5)
	for i := range doc.Contrasts {
		y := head + float64(i)*row
		con := &doc.Contrasts[i]
		m := report.MarkOf(con.Shown())
		c.say(p.left, y+18, "start", "name", m.Glyph+" "+safe.Cut(doc.Label(con.Arm, con.Threads), 18))
		c.say(p.right, y+18, "end", "num", numbersOfPage(doc, con))
		p.interval(doc, con, y+42)
	}
	return c.done()
}

// numbersOfPage has a real minus sign.
func numbersOfPage(doc *report.Document, c *report.Contrast) string {
	return language.Minus(doc.NumbersOf(c))
}

// frame is what all rows share: margin, zero, ticks, and which way is worse.
func (p plotArea) frame(doc *report.Document, ticks int) {
	margin := float64(doc.Run.MarginPercent)
	p.rect(p.x(-margin), p.top-6, math.Max(1, p.x(margin)-p.x(-margin)), p.bottom-p.top+12, "band")
	p.grid(ticks)
	p.say(p.left, p.top-14, "start", "ax", "\u2190 "+doc.Say("text.faster"))
	p.say(p.right, p.top-14, "end", "ax", doc.Say("figure.slower")+" \u2192")
}

// grid is about so many ticks, and zero.
func (p plotArea) grid(ticks int) {
	for _, t := range p.Ticks(ticks) {
		p.line(p.x(t), p.top-6, p.x(t), p.bottom+6, "grid")
		p.say(p.x(t), p.bottom+22, "middle", "ax", language.Minus(report.TickLabel(t)))
	}
	p.line(p.x(0), p.top-6, p.x(0), p.bottom+6, "zero")
}

// interval draws one contrast at height y: or, where there is none, says so in
// its place.
func (p plotArea) interval(doc *report.Document, c *report.Contrast, y float64) {
	token := report.MarkOf(c.Shown()).Token
	if c.Interval == nil {
		p.rect(p.left, y-11, p.right-p.left, 22, "void")
		p.say((p.left+p.right)/2, y+4.5, "middle", "ax", doc.Say("figure.no-interval", "verdict", strings.ToLower(doc.Language().Word(c.Verdict))))
		return
	}
	cost := report.CostOf(c)
	p.line(p.x(cost.Lo), y, p.x(cost.Hi), y, "i95 s-"+token)
	p.line(p.x(cost.Lo90), y, p.x(cost.Hi90), y, "i90 s-"+token)
	if cost.Lo < p.Lo {
		p.arrow(p.left, y, -1, token)
	}
	if cost.Hi > p.Hi {
		p.arrow(p.right, y, 1, token)
	}
	class := "point f-" + token
	if c.PastMargin == "unsettled" || c.Verdict == "within-margin" {
		class = "point hollow s-" + token
	}
	if cost.Mid >= p.Lo && cost.Mid <= p.Hi { // one beyond the scale is in the numbers, and the arrow points to it
		p.dot(p.x(cost.Mid), y, 7, class)
	}
}

// arrow marks a bound beyond the scale: clipped silently, a wide interval looks
// narrow.
func (p plotArea) arrow(x, y, direction float64, token string) {
	p.path(fmt.Sprintf("M%s %s l%s -6 v12 z", px(x+direction*4), px(y), px(-direction*9)), "f-"+token)
}
