package chart

import (
	"html/template"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Rounds shows every round as a dot, from the first round at the top of
// its row to the last at the bottom, so that a drift would show as a slope.
func Rounds(doc *report.Document) template.HTML {
	const row, head = 96.0, 30.0
	var shown []*report.Contrast
	for i := range doc.Contrasts {
		if len(doc.Contrasts[i].Pairs) > 0 {
			shown = append(shown, &doc.Contrasts[i])
		}
	}
	c := newCanvas(960, head+float64(len(shown))*row+30, "static", doc.Say("figure.rounds"))
	p := plotArea{c, roundScale(doc), 190, 930, head, head + float64(len(shown))*row}
	p.frame(doc, 9)
	for i, con := range shown {
		top := head + float64(i)*row
		c.say(p.left-16, top+row/2+5, "end", "name", safe.Cut(doc.Label(con.Arm, con.Threads), 22))
		if i > 0 {
			c.line(p.left, top, p.right, top, "grid")
		}
		step := (row - 24) / float64(len(con.Pairs))
		for k, pair := range con.Pairs {
			y := top + 12 + (float64(k)+0.5)*step
			c.dot(p.x(-float64(pair.EffectPercent)), y, math.Min(5, math.Max(2, step/2)), "round f-"+report.MarkOf(con.Shown()).Token)
		}
	}
	return c.done()
}

// roundScale covers the rounds, zero and the margins.
func roundScale(doc *report.Document) report.Scale {
	margin := float64(doc.Run.MarginPercent)
	s := report.Scale{Lo: -margin, Hi: margin}
	for _, c := range doc.Contrasts {
		for _, p := range c.Pairs {
			cost := math.Max(-100, -float64(p.EffectPercent))
			s.Lo, s.Hi = math.Min(s.Lo, cost), math.Max(s.Hi, cost)
		}
	}
	pad := math.Max((s.Hi-s.Lo)*0.06, 0.01)
	return report.Scale{Lo: s.Lo - pad, Hi: s.Hi + pad}
}

// mostStrips is how many trials a reader without scripts is shown as strips.
const mostStrips = 96

// Series is a strip for every trial, arm by arm, one scale for all.
func Series(doc *report.Document) template.HTML {
	const perLine, height, gap, left, width = 8, 64.0, 22.0, 150.0, 960.0
	if len(doc.Trials) > mostStrips {
		return "" // too small to read, and most of the page
	}
	top, lines := report.Highest(doc), 0
	for i := range doc.Arms {
		lines += (len(doc.TrialsOf(&doc.Arms[i])) + perLine - 1) / perLine
	}
	columns := 1
	for i := range doc.Arms {
		columns = max(columns, min(perLine, len(doc.TrialsOf(&doc.Arms[i]))))
	}
	strip := (width - left - 46) / float64(columns)
	c := newCanvas(width, float64(lines)*(height+gap)+6, "static", doc.Say("figure.series"))
	y := 0.0
	for i := range doc.Arms {
		a := &doc.Arms[i]
		for k, t := range doc.TrialsOf(a) {
			column := k % perLine
			if k == 0 {
				c.say(left-14, y+gap+height/2, "end", "name", safe.Cut(doc.Label(a.Name, a.Threads), 16))
			}
			if column == 0 {
				c.say(width-40, y+gap+8, "start", "ax", language.Rounded(top))
				c.say(width-40, y+gap+height, "start", "ax", "0")
			}
			drawStrip(doc, c, t, left+float64(column)*strip, y+gap, strip-10, height, top, "c-"+seriesClass(i))
			if column == perLine-1 {
				y += height + gap
			}
		}
		if n := len(doc.TrialsOf(a)); n%perLine != 0 {
			y += height + gap
		}
	}
	return c.done()
}

// seriesClass is the colour of the i-th arm; the baseline is the first.
func seriesClass(i int) string { return [...]string{"s1", "s2", "s3", "s4", "s5", "s6"}[i%6] }

func drawStrip(doc *report.Document, c *canvas, t *report.Trial, x, y, w, h, top float64, class string) {
	c.rect(x, y, w, h, "strip")
	title := doc.Say("figure.round", "n", report.Trimmed(report.Number(t.Round)))
	if t.Round == 0 {
		title = doc.Say("figure.trial", "n", report.Trimmed(report.Number(t.Trial)))
	}
	if t.Outcome != "measured" {
		title += doc.Say("join.list") + doc.Outcome(t.Outcome)
	}
	c.say(x, y-5, "start", "ax", title)
	if len(t.Seconds) == 0 || top <= 0 {
		return
	}
	first, last := float64(t.Seconds[0]), float64(t.Seconds[len(t.Seconds)-1])
	span := math.Max(last-first, 1e-9)
	at := func(s report.Number) float64 { return x + (float64(s)-first)/span*w }
	warm := x
	for i, is := range t.Warmup {
		if is {
			warm = at(t.Seconds[i])
		}
	}
	if warm > x {
		c.rect(x, y, warm-x, h, "warm")
	}
	c.path(stripPath(t, at, func(v report.Number) float64 { return y + h - float64(v)/top*h }), "series "+class)
}

// stripPath breaks the line where a second is missing.
func stripPath(t *report.Trial, x, y func(report.Number) float64) string {
	var b strings.Builder
	pen := "M"
	for i, v := range t.TPS {
		if !v.Known() {
			pen = "M"
			continue
		}
		b.WriteString(pen + px(x(t.Seconds[i])) + " " + px(y(v)))
		pen = "L"
	}
	return b.String()
}
