package section

import (
	"fmt"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

func remedySection() Section {
	return Section{
		ID:       "remedies",
		Shown:    func(d *report.Document) bool { return len(d.Remedies) > 0 },
		Sentence: remediesSentence,
		Tables:   remedyTable,
	}
}

func remediesSentence(d *report.Document) string {
	n := map[string]int{}
	for _, m := range d.Remedies {
		n[m.Decision]++
	}
	return d.Say("remedies", "n", fmt.Sprint(len(d.Remedies)), "kept", fmt.Sprint(n[string(compare.Kept)]),
		"rejected", fmt.Sprint(n[string(compare.Rejected)]), "undecided", fmt.Sprint(n[string(compare.Undecided)]))
}

func remedyTable(d *report.Document) []Table {
	t := Table{Caption: d.Say("caption.remedies", "base", safe.Name(d.Baseline())), Open: true, Head: d.Heads("remedy", "rule", "decision", "cost95", "change", "found")}
	for i := range d.Remedies {
		m := &d.Remedies[i]
		t.Rows = append(t.Rows, []Cell{words(m.Arm), words(m.Rule), words(d.Say("remedy." + m.Decision)), words(d.Costs(m)), words(m.Change), words(d.RuleName(report.Finding{Rule: m.Rule, Title: m.Finding}))})
	}
	return []Table{t}
}
