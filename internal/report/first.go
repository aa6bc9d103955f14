package report

import (
	"html/template"
)

// opening is the first screen: the verdicts, what else a reader must know before
// quoting them, where the cost goes, and what to do.
type opening struct {
	Leads    []string // before the verdicts
	Verdicts []answer
	Asides   []answer
	Goes     []goes
	Next     []Step
}

func openingOf(doc *Document) opening {
	o := opening{Leads: doc.leads(), Verdicts: verdicts(doc), Next: doc.Next}
	told := map[string]bool{}
	for _, a := range doc.divided() {
		told[long(a.Sentence)] = true // drawn beside the steps
		o.Goes = append(o.Goes, whereItGoes(doc, a))
	}
	for _, a := range asides(doc) {
		if !told[a.Sentence] {
			o.Asides = append(o.Asides, a)
		}
	}
	return o
}

// goes is a waterfall in the fewest words.
type goes struct {
	Title string
	Parts []goesPart
}

// goesPart is a layer, what is unexplained, or the total.
type goesPart struct {
	Name, Size, Interval string
	Bar                  template.HTML
	Total                bool
}

func whereItGoes(doc *Document, a *Attribution) goes {
	n := a.digits()
	g := goes{Title: doc.say("goes.title", "points", decimal(a.Total.cost().mid, n), "arm", doc.called(a.To, a.Threads))}
	steps := a.steps(doc.words())
	scale := waterScale(steps)
	for _, s := range steps {
		g.Parts = append(g.Parts, goesPart{
			Name: inert(s.Name), Size: decimal(s.mid, n), Interval: doc.words().between(decimal(s.lo, n), decimal(s.hi, n)),
			Bar: miniBar(scale, s), Total: s.Total,
		})
	}
	return g
}
