package section

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

func explainedSection() Section {
	return Section{
		ID:       "explained",
		Shown:    func(d *report.Document) bool { return len(d.Explained) > 0 },
		Sentence: ExplainedSentence,
		Figures: []Figure{
			{ID: "fig-budget", Chart: "budget", Shown: hasBudget},
			{ID: "fig-evidence", Chart: "evidence", Shown: hasEvidence},
		},
		Tables: explainedTables,
		Also:   explainedReading,
	}
}

func hasBudget(d *report.Document) bool {
	return slices.ContainsFunc(d.Explained, func(e report.Explained) bool { return len(e.Budget) > 0 })
}

// explainedReading says how to read what this run has.
func explainedReading(d *report.Document) string {
	var all []string
	if hasBudget(d) {
		all = append(all, d.Say("budget.reading"))
	}
	if told := slowestTold(d); told != "" {
		all = append(all, told)
	}
	return d.Language().List("sentences", all)
}

func hasEvidence(d *report.Document) bool {
	for e, f := range d.Found(diagnose.Confirmed) {
		if d.HasReadings(e, f) {
			return true
		}
	}
	return false
}

// ExplainedSentence says how far the run carries every cause that its counters show.
func ExplainedSentence(d *report.Document) string {
	var all []string
	for e, f := range d.Found(diagnose.Confirmed) {
		all = append(all, d.CauseSentence(e, f))
	}
	if len(all) == 0 {
		return nothingShown(d)
	}
	return d.Language().List("sentences", all)
}

// nothingShown says which causes the counters exclude, and of which they were not read: without the latter no cause may
// be there, or one that was not looked at.
func nothingShown(d *report.Document) string {
	said, missing := d.Say("explained.none"), map[string]bool{}
	for _, f := range d.Found(diagnose.Unknown) {
		missing[f.Rule] = true
	}
	for _, part := range []struct {
		verdict diagnose.Verdict
		key     string
	}{{diagnose.RuledOut, "explained.none.excluded"}, {diagnose.Unknown, "explained.none.unknown"}} {
		var rules []string
		for _, f := range d.Found(part.verdict) {
			if !slices.Contains(rules, f.Rule) && (part.verdict == diagnose.Unknown || !missing[f.Rule]) {
				rules = append(rules, f.Rule)
			}
		}
		if rules != nil {
			slices.Sort(rules)
			said += d.Say(part.key, "rules", d.Language().List("list", rules))
		}
	}
	return said
}

func explainedTables(d *report.Document) []Table {
	var all []Table
	if t := causesTable(d); len(t.Rows) > 0 {
		all = append(all, t)
	}
	return append(all, budgetTable(d), slowestTable(d), undecidedTable(d))
}

func causesTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.causes"), Open: true, Head: d.Heads("arm", "rule", "cause", "state", "counters", "fix", "measure")}
	for e, f := range d.Found(diagnose.Confirmed) {
		t.Rows = append(t.Rows, []Cell{words(d.Label(e.Arm, e.Threads)), words(f.Rule), words(d.RuleName(f)), words(d.Say("finding." + f.State)), words(d.Says(f)), words(d.FixOf(f)), words(f.Change)})
	}
	return t
}

// budgetTable is every arm's transaction and its parts, one arm below the other.
func budgetTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.budget"), Head: d.Heads("arm", "part", "ms", "change-ms", "in95", "rounds")}
	for i := range d.Explained {
		e := &d.Explained[i]
		for _, p := range e.Budget {
			t.Rows = append(t.Rows, append([]Cell{words(d.Label(e.Arm, e.Threads))}, spentCells(d, p)...))
		}
	}
	return t
}

func spentCells(doc *report.Document, p report.Spent) []Cell {
	change, interval, rounds := "-", "-", "-"
	if p.Change.Known() {
		rounds = fmt.Sprint(p.Rounds)
		change = language.Minus(fmt.Sprintf("%+.3f", float64(p.Change)))
	}
	if p.Interval != nil {
		interval = language.Minus(doc.Language().Between(fmt.Sprintf("%.3f", float64(p.Interval[0])), fmt.Sprintf("%.3f", float64(p.Interval[1]))))
	}
	return []Cell{words(doc.Language().Place(p.Name)), number(fmt.Sprintf("%.3f", float64(p.Milliseconds))), number(change), number(interval), number(rounds)}
}

// undecidedTable is what was ruled out, and what cannot be known and why: a row for
// all arms of which the same is said.
func undecidedTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.undecided"), Head: d.Heads("rule", "cause", "verdict", "because", "arms")}
	row := map[[3]string]int{}
	for _, verdict := range []diagnose.Verdict{diagnose.RuledOut, diagnose.Unknown} {
		for e, f := range d.Found(verdict) {
			arm, key := d.Label(e.Arm, e.Threads), [3]string{f.Rule, f.State, f.Says}
			if k, ok := row[key]; ok {
				t.Rows[k][4] = words(t.Rows[k][4].Text + d.Say("join.list") + arm)
				continue
			}
			row[key] = len(t.Rows)
			t.Rows = append(t.Rows, []Cell{words(f.Rule), words(d.RuleName(f)), words(d.Say("finding." + f.State)), words(d.Says(f)), words(arm)})
		}
	}
	return t
}
