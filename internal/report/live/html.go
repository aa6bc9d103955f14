package live

// This file is what a running server showed, as a page without scripts.

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/safe"
)

//go:embed live.html
var livePage string

// livePart is a part of the budget with its share of the whole.
type livePart struct {
	Name         string
	Milliseconds string
	Percent      string
}

// shownCause is a cause with the name of its state.
type shownCause struct {
	Cause
	Name string
}

// html writes the page. Texts of the server are escaped by the template, and without control
// characters.
func (v view) html(w io.Writer) error {
	layout, err := template.New("live").Funcs(template.FuncMap{"say": v.say, "prose": page.Prose}).Parse(livePage)
	if err != nil {
		return fmt.Errorf("read page: %w", err)
	}
	data := struct {
		Tag, Title, Version, Seconds, Rate, Answer, Uncosted, Took, Gone, BudgetTitle, Overlap, Proof, NoBudget, Locks string
		Style                                                                                                          template.CSS
		Budget                                                                                                         []livePart
		Present, Rules, Changes                                                                                        []shownCause
	}{
		Tag: v.doc.Language().Tag, Title: safe.Name(v.Server), Version: safe.Name(v.Version), Seconds: fmt.Sprintf("%.1f", v.Seconds), Rate: v.perSecond(),
		Answer: v.answer(), Uncosted: v.uncosted(), Took: v.took(), Gone: v.gone(), BudgetTitle: v.say("watched.budget-title." + v.Unit), Overlap: v.overlap(), Proof: safe.Name(v.proof()),
		Style: template.CSS(page.Embedded().Style), Budget: v.parts(), NoBudget: v.noBudget(), Locks: v.fewLocks(),
	}
	for _, c := range v.causes() {
		shown := shownCause{c, v.state(c)}
		data.Rules = append(data.Rules, shown)
		if c.State == presentState {
			data.Present = append(data.Present, shown)
		}
		if c.State == presentState && c.Change != "" {
			data.Changes = append(data.Changes, shown)
		}
	}
	if err := layout.Execute(w, data); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// parts are those of the budget; the first is the whole.
func (v view) parts() (all []livePart) {
	for i, p := range v.Budget {
		percent := 0.0
		if whole := float64(v.Budget[0].Milliseconds); whole > 0 && p.Milliseconds.Known() {
			percent = min(100, 100*float64(p.Milliseconds)/whole)
		}
		all = append(all, livePart{v.part(i), v.spent(i, ""), fmt.Sprintf("%.0f", percent)})
	}
	return all
}
