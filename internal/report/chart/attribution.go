package chart

import (
	"html/template"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Attribution is the waterfall for a desk and for a telephone.
func Attribution(doc *report.Document) template.HTML {
	var all template.HTML
	for _, a := range doc.Divided() {
		all += waterfall(doc.Language(), a, 960, 190, 700, "wide") + waterfall(doc.Language(), a, 360, 100, 252, "narrow")
	}
	return all
}

func waterfall(l *language.Language, a *report.Attribution, width, left, right float64, class string) template.HTML {
	const row, head = 34.0, 30.0
	steps := a.Steps(l)
	bottom := head + float64(len(steps))*row
	c := newCanvas(width, bottom+30, "static "+class, l.Say("figure.layers"))
	p := plotArea{c, report.WaterScale(steps), left, right, head, bottom}
	p.grid(int(right-left) / 80)
	c.say(p.right, p.top-14, "end", "ax", l.Say("figure.slower-points"))
	for i, s := range steps {
		p.step(s, head+(float64(i)+0.5)*row, i == len(steps)-1)
		c.say(left-12, head+(float64(i)+0.5)*row+5, "end", "name", safe.Cut(s.Name, int(left/8.5)))
		c.say(right+10, head+(float64(i)+0.5)*row+5, "start", "num", language.Minus(report.StepNumbers(s, a.Digits(), class == "wide")))
	}
	return c.done()
}

// step is a bar with its interval at the end that it moves, and a line on to the
// next.
func (p plotArea) step(s report.WaterStep, y float64, last bool) {
	token, _ := s.Colour()
	from, to := p.x(math.Min(s.From, s.To)), p.x(math.Max(s.From, s.To))
	p.rect(from, y-8, math.Max(1, to-from), 16, "bar f-"+token)
	p.line(p.x(s.From+s.Lo), y, p.x(s.From+s.Hi), y, "whisker")
	if !last {
		p.line(p.x(s.To), y+8, p.x(s.To), y+26, "grid")
	}
}

// Bar is one step of the waterfall on a line of its own.
func Bar(s report.Scale, w report.WaterStep) template.HTML {
	const width, height = 200.0, 16.0
	x := func(v float64) float64 { return math.Min(1, math.Max(0, s.At(v))) * width }
	c := newCanvas(width, height, "mini", "")
	c.line(x(0), 0, x(0), height, "zero")
	token, _ := w.Colour()
	class := "bar f-" + token
	if w.Unexplained {
		class = "bar hatched s-" + token
	}
	from, to := x(math.Min(w.From, w.To)), x(math.Max(w.From, w.To))
	c.rect(from, 3, math.Max(1.5, to-from), height-6, class)
	return template.HTML(strings.Replace(string(c.done()), ` role="img"`, ` aria-hidden="true" preserveAspectRatio="none"`, 1))
}
