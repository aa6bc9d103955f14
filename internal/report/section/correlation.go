package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/report"
)

func correlationSection() Section {
	return Section{
		ID:       "correlation",
		Shown:    func(d *report.Document) bool { return len(d.Correlations) > 0 },
		Sentence: correlationsSentence,
		Figures: []Figure{{
			ID: "fig-correlation", Chart: "correlation",
			Shown: func(d *report.Document) bool { return len(d.Telling()) > 0 },
		}},
		Tables: func(d *report.Document) []Table { return []Table{correlationTable(d)} },
	}
}

func correlationsSentence(d *report.Document) string {
	var all []string
	for _, c := range d.Telling() {
		all = append(all, c.Sentence)
	}
	if len(all) == 0 {
		return d.Say("correlation.none", "factors", d.Count(len(d.Correlations), "factor"))
	}
	return d.Language().List("sentences", all)
}

// correlationTable holds every factor that was looked at.
func correlationTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.correlations"), Head: d.Heads("factor", "arms", "rho", "exact-p", "family-p", "worst-p", "outlier", "rho-without")}
	for _, c := range d.Correlations {
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(c.Factor, c.Threads)), number(fmt.Sprint(c.Arms)), number(dash(c.Rho, 2)), number(pOrDash(c.P, 3)), number(pOrDash(c.FamilyP, 3)),
			number(pOrDash(c.WorstP, 3)), words(c.Outlier), number(dash(c.RhoWithout, 2)),
		})
	}
	return t
}
