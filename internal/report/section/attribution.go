package section

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

func attributionSection() Section {
	return Section{
		ID:       "attribution",
		Shown:    func(d *report.Document) bool { return len(d.Attributions) > 0 },
		Sentence: whereFrom,
		Figures: []Figure{{
			ID: "fig-attribution", Chart: "attribution",
			Shown: func(d *report.Document) bool { return len(d.Divided()) > 0 },
		}},
		Tables: attributionTables,
	}
}

func whereFrom(d *report.Document) string {
	var parts []string
	for i := range d.Attributions {
		a := &d.Attributions[i]
		s := a.Sentence
		if a.Total != nil {
			s += d.GivesBack(a)
		}
		if a.Ladder {
			s += d.Say("attribution.ladder")
		}
		parts = append(parts, s)
	}
	return d.Language().List("sentences", parts)
}

func attributionTables(d *report.Document) []Table {
	var all []Table
	for _, a := range d.Divided() {
		all = append(all, layerTable(d, a))
		if len(a.Interactions) > 0 {
			all = append(all, interactionTable(d, a))
		}
	}
	return all
}

func layerTable(d *report.Document, a *report.Attribution) Table {
	t := Table{
		Caption: d.Say("caption.layers", "from", safe.Name(a.From), "to", safe.Name(d.Called(a.To, a.Threads)), "rounds", d.Count(a.Rounds, "round")), Open: true,
		Head: d.Heads("layer", "points", "in95", "share", "share-in", "any-order", "returns"),
	}
	n := a.Digits()
	row := func(name string, p report.Part, share, shareIn, order, back string) {
		c := p.Cost()
		t.Rows = append(t.Rows, []Cell{
			words(name), number(language.Decimal(c.Mid, n)), number(d.Language().Between(language.Decimal(c.Lo, n), language.Decimal(c.Hi, n))),
			number(share), number(shareIn), number(order), number(back),
		})
	}
	for _, l := range a.Layers {
		refused := d.Say("cell.refused")
		share, in, back := refused, refused, d.Say("cell.not-measured")
		if l.ShareInterval != nil {
			share = language.Decimal(100*float64(l.Share), 0)
			in = d.Language().Between(language.Decimal(100*float64(l.ShareInterval[0]), 0), language.Decimal(100*float64(l.ShareInterval[1]), 0))
		}
		if l.GivesBack != nil {
			back = l.GivesBack.Returned(n)
		}
		order := d.Language().Between(language.Decimal(-float64(l.OrderRange[1]), n), language.Decimal(-float64(l.OrderRange[0]), n))
		row(l.Layer, l.Part, share, in, order, back)
	}
	if a.Unexplained != nil {
		row(d.Say("part.unexplained"), *a.Unexplained, "-", "-", "-", "-")
	}
	row(d.Say("part.total"), *a.Total, "100", "-", "-", "-")
	return t
}

func interactionTable(d *report.Document, a *report.Attribution) Table {
	t := Table{
		Caption: d.Say("caption.interactions", "arm", safe.Name(d.Called(a.To, a.Threads)), "rounds", d.Count(a.Rounds, "round")),
		Head:    d.Heads("layers", "points", "in95", "holm"),
	}
	n := a.Digits()
	for _, x := range a.Interactions {
		c := x.Cost()
		t.Rows = append(t.Rows, []Cell{
			words(d.Language().Enumerate(x.Layers[:])), number(language.Decimal(c.Mid, n)),
			number(d.Language().Between(language.Decimal(c.Lo, n), language.Decimal(c.Hi, n))), number(language.PValue(float64(x.P), 4)),
		})
	}
	return t
}
