package report

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/diagnose"
)

func explainedSection() Section {
	return Section{
		ID: "explained", Question: "Why?",
		Shown:    func(d *Document) bool { return len(d.Explained) > 0 },
		Sentence: explainedSentence,
		Tables:   explainedTables,
		Reading: "The parts of a transaction's time are from the counters of the same windows that its response time is from: all sessions' " +
			"time of a kind, for each transaction. A change is to the baseline, with the 95 % interval of the mean over the rounds. " +
			"A rule is confirmed or ruled out by counters alone, and unknown where one of them was not read. A cause that a rule " +
			"confirms is proved when a run measures the arm without it: tare remedy makes that experiment.",
	}
}

// explainedSentence names every confirmed cause.
func explainedSentence(d *Document) string {
	var all []string
	for e, f := range d.found(diagnose.Confirmed) {
		all = append(all, fmt.Sprintf("%s: %s (%s).", inert(d.called(e.Arm, e.Threads)), inert(f.Title), f.Rule))
	}
	if len(all) == 0 {
		return "No rule confirms a cause from the counters of this run."
	}
	return strings.Join(all, " ")
}

func explainedTables(d *Document) []Table {
	var all []Table
	if t := confirmedTable(d); len(t.Rows) > 0 {
		all = append(all, t)
	}
	for i := range d.Explained {
		if e := &d.Explained[i]; len(e.Budget) > 0 {
			all = append(all, budgetTable(d, e))
		}
	}
	return append(all, undecidedTable(d))
}

func confirmedTable(d *Document) Table {
	t := Table{Caption: "Causes that the counters confirm", Open: true, Head: []string{"Arm", "Rule", "Cause", "Counters", "Write instead", "To measure"}}
	for e, f := range d.found(diagnose.Confirmed) {
		t.Rows = append(t.Rows, []Cell{words(d.label(e.Arm, e.Threads)), words(f.Rule), words(f.Title), words(f.Says), words(f.Write), words(f.Change)})
	}
	return t
}

func budgetTable(d *Document, e *Explained) Table {
	t := Table{
		Caption: "Where a transaction of " + inert(d.label(e.Arm, e.Threads)) + " spends its time", Open: true,
		Head: []string{"Part", "ms", "Change to the baseline, ms", "95 % interval", "Rounds"},
	}
	for _, p := range e.Budget {
		change, interval, rounds := "-", "-", "-"
		if p.Change.Known() {
			rounds = fmt.Sprint(p.Rounds)
			change = minus(fmt.Sprintf("%+.3f", float64(p.Change)))
		}
		if p.Interval != nil {
			interval = minus(fmt.Sprintf("%.3f to %.3f", float64(p.Interval[0]), float64(p.Interval[1])))
		}
		t.Rows = append(t.Rows, []Cell{words(p.Name), number(fmt.Sprintf("%.3f", float64(p.Milliseconds))), number(change), number(interval), number(rounds)})
	}
	return t
}

// undecidedTable is what was ruled out, and what cannot be known and why: a row for
// all arms of which the same is said.
func undecidedTable(d *Document) Table {
	t := Table{Caption: "Ruled out, or not known", Head: []string{"Rule", "Cause", "Verdict", "Because", "Arms"}}
	row := map[[3]string]int{}
	for _, verdict := range []diagnose.Verdict{diagnose.RuledOut, diagnose.Unknown} {
		for e, f := range d.found(verdict) {
			arm, key := d.label(e.Arm, e.Threads), [3]string{f.Rule, f.Verdict, f.Says}
			if k, ok := row[key]; ok {
				t.Rows[k][4] = words(t.Rows[k][4].Text + ", " + arm)
				continue
			}
			row[key] = len(t.Rows)
			t.Rows = append(t.Rows, []Cell{words(f.Rule), words(f.Title), words(f.Verdict), words(f.Says), words(arm)})
		}
	}
	return t
}

// textExplained is the confirmed causes, each with its counters.
func textExplained(s *screen, doc *Document) {
	if len(doc.Explained) == 0 {
		return
	}
	s.heading("why: causes that the counters confirm")
	none := true
	for e, f := range doc.found(diagnose.Confirmed) {
		none = false
		s.words("  ", 4, fmt.Sprintf("%s: %s, %s: %s", inert(doc.label(e.Arm, e.Threads)), f.Rule, inert(f.Title), inert(f.Says)))
	}
	if none {
		s.words("  ", 2, explainedSentence(doc))
	}
}
