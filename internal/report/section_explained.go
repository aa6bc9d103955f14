package report

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/diagnose"
)

func explainedSection() Section {
	return Section{
		ID:       "explained",
		Shown:    func(d *Document) bool { return len(d.Explained) > 0 },
		Sentence: explainedSentence,
		Figures: []Figure{
			{ID: "fig-budget", Chart: "budget", Shown: hasBudget},
			{ID: "fig-evidence", Chart: "evidence", Shown: hasEvidence},
		},
		Tables: explainedTables,
		Also:   explainedReading,
	}
}

func hasBudget(d *Document) bool {
	return slices.ContainsFunc(d.Explained, func(e Explained) bool { return len(e.Budget) > 0 })
}

// explainedReading says how to read what this run has.
func explainedReading(d *Document) string {
	var all []string
	if hasBudget(d) {
		all = append(all, d.say("budget.reading"))
	}
	if told := slowestTold(d); told != "" {
		all = append(all, told)
	}
	return d.words().list("sentences", all)
}

func hasEvidence(d *Document) bool {
	for e, f := range d.found(diagnose.Confirmed) {
		if d.isShown(e, f) {
			return true
		}
	}
	return false
}

// explainedSentence names every confirmed cause.
func explainedSentence(d *Document) string {
	var all []string
	for e, f := range d.found(diagnose.Confirmed) {
		all = append(all, d.say("explained.cause", "arm", inert(d.called(e.Arm, e.Threads)), "cause", d.ruleName(f), "rule", f.Rule))
	}
	if len(all) == 0 {
		return d.say("explained.none")
	}
	return d.words().list("sentences", all)
}

func explainedTables(d *Document) []Table {
	var all []Table
	if t := confirmedTable(d); len(t.Rows) > 0 {
		all = append(all, t)
	}
	return append(all, budgetTable(d), slowestTable(d), undecidedTable(d))
}

func confirmedTable(d *Document) Table {
	t := Table{Caption: d.say("caption.confirmed"), Open: true, Head: d.heads("arm", "rule", "cause", "counters", "fix", "measure")}
	for e, f := range d.found(diagnose.Confirmed) {
		t.Rows = append(t.Rows, []Cell{words(d.label(e.Arm, e.Threads)), words(f.Rule), words(d.ruleName(f)), words(d.says(f)), words(d.fixOf(f)), words(f.Change)})
	}
	return t
}

// budgetTable is every arm's transaction and its parts, one arm below the other.
func budgetTable(d *Document) Table {
	t := Table{Caption: d.say("caption.budget"), Head: d.heads("arm", "part", "ms", "change-ms", "in95", "rounds")}
	for i := range d.Explained {
		e := &d.Explained[i]
		for _, p := range e.Budget {
			t.Rows = append(t.Rows, append([]Cell{words(d.label(e.Arm, e.Threads))}, d.spentCells(p)...))
		}
	}
	return t
}

func (doc *Document) spentCells(p Spent) []Cell {
	change, interval, rounds := "-", "-", "-"
	if p.Change.Known() {
		rounds = fmt.Sprint(p.Rounds)
		change = minus(fmt.Sprintf("%+.3f", float64(p.Change)))
	}
	if p.Interval != nil {
		interval = minus(doc.words().between(fmt.Sprintf("%.3f", float64(p.Interval[0])), fmt.Sprintf("%.3f", float64(p.Interval[1]))))
	}
	return []Cell{words(doc.words().place(p.Name)), number(fmt.Sprintf("%.3f", float64(p.Milliseconds))), number(change), number(interval), number(rounds)}
}

// undecidedTable is what was ruled out, and what cannot be known and why: a row for
// all arms of which the same is said.
func undecidedTable(d *Document) Table {
	t := Table{Caption: d.say("caption.undecided"), Head: d.heads("rule", "cause", "verdict", "because", "arms")}
	row := map[[3]string]int{}
	for _, verdict := range []diagnose.Verdict{diagnose.RuledOut, diagnose.Unknown} {
		for e, f := range d.found(verdict) {
			arm, key := d.label(e.Arm, e.Threads), [3]string{f.Rule, f.Verdict, f.Says}
			if k, ok := row[key]; ok {
				t.Rows[k][4] = words(t.Rows[k][4].Text + ", " + arm)
				continue
			}
			row[key] = len(t.Rows)
			t.Rows = append(t.Rows, []Cell{words(f.Rule), words(d.ruleName(f)), words(d.say("finding." + f.Verdict)), words(d.says(f)), words(arm)})
		}
	}
	return t
}
