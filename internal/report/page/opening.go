package page

import (
	"html/template"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/chart"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// opening is the first screen: the answer above the chart, below it where the cost goes and what to do, then the
// verdicts, and what else a reader must know before quoting them.
type opening struct {
	First, Leads, Others, Asides []section.Answer
	Goes                         []goes
	Next                         []report.Step
}

func openingOf(doc *report.Document) opening {
	o := opening{First: section.First(doc), Leads: section.Leads(doc), Others: section.Others(doc), Next: doc.Next}
	told := map[string]bool{}
	for _, a := range doc.Divided() {
		told[safe.Sentence(a.Sentence)] = true // drawn beside the steps
		o.Goes = append(o.Goes, whereItGoes(doc, a))
	}
	for _, a := range section.Asides(doc) {
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

func whereItGoes(doc *report.Document, a *report.Attribution) goes {
	n := a.Digits()
	g := goes{Title: language.Minus(doc.Say("goes.title", "points", language.Decimal(a.Total.Cost().Mid, n), "arm", doc.Called(a.To, a.Threads)))}
	steps := a.Steps(doc.Language())
	scale := report.WaterScale(steps)
	for _, s := range steps {
		g.Parts = append(g.Parts, goesPart{
			Name: safe.Name(s.Name), Size: language.Decimal(s.Mid, n), Interval: doc.Language().Between(language.Decimal(s.Lo, n), language.Decimal(s.Hi, n)),
			Bar: chart.Bar(scale, s), Total: s.Total,
		})
	}
	return g
}
