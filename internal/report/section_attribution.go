package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

func attributionSection() Section {
	return Section{
		ID: "attribution", Question: "Where does it come from?",
		Shown:    func(d *Document) bool { return len(d.Attributions) > 0 },
		Sentence: whereFrom,
		Figures: []Figure{{
			ID: "fig-attribution", Chart: "attribution", Caption: "Points of the cost, layer by layer",
			Static: staticAttribution, Shown: func(d *Document) bool { return len(d.divided()) > 0 },
		}},
		Tables: attributionTables,
		Reading: "Every feasible combination of the layers was an arm in every round. A layer's points are what adding it costs, averaged over all " +
			"orders in which the layers can be added (Shapley values of the logarithm of throughput); the parts sum to the total, each " +
			"rounded on its own. The order range says how much a layer's cost depends on what is there already. " +
			"What removing it alone gives back is another question with another answer, and the one to act on. " +
			"A share is refused where the total may be zero. Intervals are 95 % each.",
	}
}

// divided are the attributions with figures.
func (doc *Document) divided() []*Attribution {
	var all []*Attribution
	for i := range doc.Attributions {
		if doc.Attributions[i].Total != nil {
			all = append(all, &doc.Attributions[i])
		}
	}
	return all
}

func whereFrom(d *Document) string {
	var parts []string
	for i := range d.Attributions {
		a := &d.Attributions[i]
		s := a.Sentence
		if a.Total != nil {
			s += givesBack(a)
		}
		if a.Ladder {
			s += " Only chains of layers were measured: the parts hold for those orders."
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// givesBack names what to take off first.
func givesBack(a *Attribution) string {
	l := a.mostReturned()
	if l == nil {
		return ""
	}
	return fmt.Sprintf(" Removing only %s returns %s points.", l.Layer, l.GivesBack.returned(a.digits()))
}

// mostReturned is the layer whose removal alone surely returns something, and the
// most; nil where none does.
func (a *Attribution) mostReturned() *LayerPart {
	var best *LayerPart
	for i := range a.Layers {
		l := &a.Layers[i]
		if l.GivesBack == nil || float64(l.GivesBack.Interval[0]) <= 0 {
			continue
		}
		if best == nil || l.GivesBack.Points > best.GivesBack.Points {
			best = l
		}
	}
	return best
}

func attributionTables(d *Document) []Table {
	var all []Table
	for _, a := range d.divided() {
		all = append(all, layerTable(d, a))
		if len(a.Interactions) > 0 {
			all = append(all, interactionTable(d, a))
		}
	}
	return all
}

func layerTable(d *Document, a *Attribution) Table {
	t := Table{
		Caption: fmt.Sprintf("Layers from %s to %s, points of cost, %s", inert(a.From), inert(d.called(a.To, a.Threads)), count(a.Rounds, "round")), Open: true,
		Head: []string{"Layer", "Points", "95 % interval", "Share, %", "Share's interval", "In any order", "Removing it alone returns"},
	}
	n := a.digits()
	row := func(name string, p Part, share, shareIn, order, back string) {
		c := p.cost()
		t.Rows = append(t.Rows, []Cell{
			words(name), number(decimal(c.mid, n)), number(decimal(c.lo, n) + " to " + decimal(c.hi, n)),
			number(share), number(shareIn), number(order), number(back),
		})
	}
	for _, l := range a.Layers {
		share, in, back := "refused", "refused", "not measured"
		if l.ShareInterval != nil {
			share = decimal(100*float64(l.Share), 0)
			in = decimal(100*float64(l.ShareInterval[0]), 0) + " to " + decimal(100*float64(l.ShareInterval[1]), 0)
		}
		if l.GivesBack != nil {
			back = l.GivesBack.returned(n)
		}
		order := decimal(-float64(l.OrderRange[1]), n) + " to " + decimal(-float64(l.OrderRange[0]), n)
		row(l.Layer, l.Part, share, in, order, back)
	}
	if a.Unexplained != nil {
		row("unexplained", *a.Unexplained, "-", "-", "-", "-")
	}
	row("total", *a.Total, "100", "-", "-", "-")
	return t
}

func interactionTable(d *Document, a *Attribution) Table {
	t := Table{
		Caption: "Pairs of layers of " + inert(d.called(a.To, a.Threads)) + ": what both cost together beyond the sum of each alone, " + count(a.Rounds, "round"),
		Head:    []string{"Layers", "Points", "95 % interval", "p (Holm)"},
	}
	n := a.digits()
	for _, x := range a.Interactions {
		c := x.cost()
		t.Rows = append(t.Rows, []Cell{
			words(x.Layers[0] + " and " + x.Layers[1]), number(decimal(c.mid, n)),
			number(decimal(c.lo, n) + " to " + decimal(c.hi, n)), number(decimal(float64(x.P), 4)),
		})
	}
	return t
}

// staticAttribution is the waterfall for a desk and for a telephone.
func staticAttribution(doc *Document) template.HTML {
	var all template.HTML
	for _, a := range doc.divided() {
		all += waterfall(a, 960, 190, 700, "wide") + waterfall(a, 360, 100, 252, "narrow")
	}
	return all
}

func waterfall(a *Attribution, width, left, right float64, class string) template.HTML {
	const row, head = 34.0, 30.0
	steps := a.steps()
	bottom := head + float64(len(steps))*row
	c := newCanvas(width, bottom+30, "static "+class, "What each layer costs")
	p := plotArea{c, waterScale(steps), left, right, head, bottom}
	p.grid(int(right-left) / 80)
	c.say(p.right, p.top-14, "end", "ax", "slower, points \u2192")
	for i, s := range steps {
		p.step(s, head+(float64(i)+0.5)*row, i == len(steps)-1)
		c.say(left-12, head+(float64(i)+0.5)*row+5, "end", "name", cut(s.Name, int(left/8.5)))
		c.say(right+10, head+(float64(i)+0.5)*row+5, "start", "num", minus(stepNumbers(s, a.digits(), class == "wide")))
	}
	return c.done()
}

func stepNumbers(s waterStep, digits int, all bool) string {
	if !all {
		return decimal(s.mid, digits)
	}
	return sized(s.mid, s.lo, s.hi, digits)
}

// step is a bar with its interval at the end that it moves, and a line on to the
// next.
func (p plotArea) step(s waterStep, y float64, last bool) {
	token, _ := s.colour()
	from, to := p.x(math.Min(s.From, s.To)), p.x(math.Max(s.From, s.To))
	p.rect(from, y-8, math.Max(1, to-from), 16, "bar f-"+token)
	p.line(p.x(s.From+s.lo), y, p.x(s.From+s.hi), y, "whisker")
	if !last {
		p.line(p.x(s.To), y+8, p.x(s.To), y+26, "grid")
	}
}
