package section

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

const (
	// sideBySide is how many arms stand in columns of their own; of more, a row has its
	// setting's values and who has them: columns would be too narrow to read.
	sideBySide = 4
	// fewDifferences stand open; more are folded away below the sentence that counts them.
	fewDifferences = 8
)

func differencesSection() Section {
	return Section{
		ID:       "differences",
		Sentence: DifferencesSentence,
		Tables:   differenceTables,
	}
}

// DifferencesSentence says how many settings differ between the arms.
func DifferencesSentence(doc *report.Document) string {
	n, undeclared := len(doc.Differences), 0
	for _, d := range doc.Differences {
		if !d.Declared {
			undeclared++
		}
	}
	switch {
	case doc.Run.Imported:
		return doc.Say("differences.imported")
	case n == 0:
		return doc.Say("differences.none")
	case undeclared == 0 && doc.Running():
		return doc.Say("differences.servers", "settings", doc.Count(n, "setting"))
	case undeclared == 0 && slices.ContainsFunc(doc.Differences, ofExternal):
		return doc.Say("differences.declared-external", "settings", doc.Count(n, "setting"))
	case undeclared == 0 && slices.ContainsFunc(doc.Differences, ofServer):
		return doc.Say("differences.declared-servers", "settings", doc.Count(n, "setting"))
	case undeclared == 0:
		return doc.Say("differences.declared", "settings", doc.Count(n, "setting"))
	}
	return doc.Say("differences.undeclared", "settings", doc.Count(n, "setting"), "n", fmt.Sprint(undeclared))
}

// ofServer says that a difference comes with a server that an arm declares.
func ofServer(d report.Difference) bool {
	return d.WhyReason != nil && d.WhyReason.Code == "of-its-server"
}

// ofExternal says that a difference is of a server that someone else runs.
func ofExternal(d report.Difference) bool {
	return d.WhyReason != nil && d.WhyReason.Code == "external-options"
}

// differenceTables are what was not declared, which a reader must see, and the rest.
func differenceTables(d *report.Document) []Table {
	undeclared := differenceTable(d, d.Say("caption.undeclared"), false)
	undeclared.Open = len(undeclared.Rows) <= fewDifferences
	return []Table{undeclared, differenceTable(d, d.Say("caption.differences"), true)}
}

func differenceTable(d *report.Document, caption string, declared bool) Table {
	t := Table{Caption: caption, Head: d.Heads("setting")}
	arms := armNames(d)
	if len(arms) > sideBySide {
		t.Head = append(t.Head, d.Heads("values")...)
	} else {
		for _, a := range arms {
			t.Head = append(t.Head, safe.Name(a))
		}
	}
	if !declared {
		t.Head = append(t.Head, d.Heads("declared")...)
	}
	t.Head = append(t.Head, d.Heads("why")...)
	for _, x := range d.Differences {
		if x.Declared != declared {
			continue
		}
		row := append([]Cell{words(x.Key)}, valueCells(d, x, arms)...)
		if !declared {
			row = append(row, Cell{Text: d.Say("cell.no"), Verdict: "invalid"})
		}
		t.Rows = append(t.Rows, append(row, words(x.Why)))
	}
	return t
}

// armNames are the arms in their order, each once, whatever the levels of the load.
func armNames(doc *report.Document) []string {
	var all []string
	for _, a := range doc.Arms {
		if !slices.Contains(all, a.Name) {
			all = append(all, a.Name)
		}
	}
	return all
}

func valueCells(doc *report.Document, x report.Difference, arms []string) []Cell {
	if len(arms) > sideBySide {
		return []Cell{{Text: whoHasWhat(doc, x, arms)}}
	}
	cells := make([]Cell, len(arms))
	for i, a := range arms {
		cells[i] = words(valueIn(doc, x, a))
	}
	return cells
}

func valueIn(doc *report.Document, x report.Difference, arm string) string {
	v, ok := x.Values[arm]
	switch {
	case !ok:
		return doc.Say("cell.not-known")
	case v == "":
		return "-"
	}
	return doc.ValueOf(arm, x.Key, v)
}

// whoHasWhat are the values with the arms that have them. The value of most arms comes
// last and names none of them: they are all that were not named before.
func whoHasWhat(doc *report.Document, x report.Difference, arms []string) string {
	var order []string
	having, most := map[string][]string{}, ""
	for _, a := range arms {
		v := valueIn(doc, x, a)
		if having[v] == nil {
			order = append(order, v)
		}
		having[v] = append(having[v], safe.Name(a))
		if len(having[v]) > len(having[most]) {
			most = v
		}
	}
	order = append(slices.DeleteFunc(order, func(v string) bool { return v == most }), most)
	parts := make([]string, len(order))
	for i, v := range order {
		who := doc.Language().List("list", having[v])
		if v == most && len(order) > 1 && len(having[v]) > 2 {
			who = doc.Say("cell.others")
		}
		parts[i] = doc.Say("text.value-in", "value", safe.Name(v), "arms", who)
	}
	return doc.Language().List("clauses", parts)
}
