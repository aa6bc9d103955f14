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

// html writes the page. Texts of the server are escaped by the template, and without control
// characters.
func (r *Report) html(w io.Writer) error {
	layout, err := template.New("live").Parse(livePage)
	if err != nil {
		return fmt.Errorf("read page: %w", err)
	}
	data := struct {
		Title, Version, Seconds, Rate, Answer, Took, Gone, Unit, Proof, NoBudget string
		Style                                                                    template.CSS
		Budget                                                                   []livePart
		Confirmed, Rules, Changes                                                []Cause
	}{
		Title: safe.Name(r.Server), Version: safe.Name(r.Version), Seconds: fmt.Sprintf("%.1f", r.Seconds), Rate: fmt.Sprintf("%.1f %ss/s", float64(r.Rate), r.Unit),
		Answer: "No cause is confirmed", Took: safe.Name(r.took()), Gone: r.gone(), Unit: r.Unit, Proof: safe.Name(r.proof()), Style: template.CSS(page.Embedded().Style), Budget: r.parts(), NoBudget: r.noBudget(),
	}
	if n := r.Confirmed(); n > 0 {
		data.Answer = fmt.Sprintf("Confirmed causes: %d", n)
	}
	for _, c := range r.sorted() {
		c = Cause{c.Rule, safe.Name(c.Title), c.State, safe.Name(c.Evidence), safe.Name(c.Fix), safe.Name(c.Change)}
		data.Rules = append(data.Rules, c)
		if c.State == ConfirmedState {
			data.Confirmed = append(data.Confirmed, c)
		}
		if c.State == ConfirmedState && c.Change != "" {
			data.Changes = append(data.Changes, c)
		}
	}
	if err := layout.Execute(w, data); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// parts are those of the budget; the first is the whole.
func (r *Report) parts() (all []livePart) {
	for _, p := range r.Budget {
		percent := 0.0
		if whole := float64(r.Budget[0].Milliseconds); whole > 0 {
			percent = min(100, 100*float64(p.Milliseconds)/whole)
		}
		all = append(all, livePart{p.Name, fmt.Sprintf("%.3f", float64(p.Milliseconds)), fmt.Sprintf("%.0f", percent)})
	}
	return all
}
