package report

import (
	"fmt"
	"slices"
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
		Sentence: (*Document).differencesSentence,
		Tables:   differenceTables,
	}
}

func (doc *Document) differencesSentence() string {
	n, undeclared := len(doc.Differences), 0
	for _, d := range doc.Differences {
		if !d.Declared {
			undeclared++
		}
	}
	switch {
	case doc.Run.Imported:
		return doc.say("differences.imported")
	case n == 0:
		return doc.say("differences.none")
	case undeclared == 0:
		return doc.say("differences.declared", "settings", doc.count(n, "setting"))
	}
	return doc.say("differences.undeclared", "settings", doc.count(n, "setting"), "n", fmt.Sprint(undeclared))
}

// differenceTables are what nobody declared, which a reader must see, and the rest.
func differenceTables(d *Document) []Table {
	undeclared := differenceTable(d, d.say("caption.undeclared"), false)
	undeclared.Open = len(undeclared.Rows) <= fewDifferences
	return []Table{undeclared, differenceTable(d, d.say("caption.differences"), true)}
}

func differenceTable(d *Document, caption string, declared bool) Table {
	t := Table{Caption: caption, Head: d.heads("setting")}
	arms := d.armNames()
	if len(arms) > sideBySide {
		t.Head = append(t.Head, d.heads("values")...)
	} else {
		for _, a := range arms {
			t.Head = append(t.Head, inert(a))
		}
	}
	if !declared {
		t.Head = append(t.Head, d.heads("declared")...)
	}
	t.Head = append(t.Head, d.heads("why")...)
	for _, x := range d.Differences {
		if x.Declared != declared {
			continue
		}
		row := append([]Cell{words(x.Key)}, d.valueCells(x, arms)...)
		if !declared {
			row = append(row, Cell{Text: d.say("cell.no"), Verdict: "invalid"})
		}
		t.Rows = append(t.Rows, append(row, words(x.Why)))
	}
	return t
}

// armNames are the arms in their order, each once, whatever the levels of the load.
func (doc *Document) armNames() []string {
	var all []string
	for _, a := range doc.Arms {
		if !slices.Contains(all, a.Name) {
			all = append(all, a.Name)
		}
	}
	return all
}

func (doc *Document) valueCells(x Difference, arms []string) []Cell {
	if len(arms) > sideBySide {
		return []Cell{{Text: doc.whoHasWhat(x, arms)}}
	}
	cells := make([]Cell, len(arms))
	for i, a := range arms {
		cells[i] = words(doc.valueIn(x, a))
	}
	return cells
}

func (doc *Document) valueIn(x Difference, arm string) string {
	v, ok := x.Values[arm]
	switch {
	case !ok:
		return doc.say("cell.not-known")
	case v == "":
		return "-"
	}
	return doc.valueOf(arm, x.Key, v)
}

// whoHasWhat are the values with the arms that have them. The value of most arms comes
// last and names none of them: they are all that were not named before.
func (doc *Document) whoHasWhat(x Difference, arms []string) string {
	var order []string
	having, most := map[string][]string{}, ""
	for _, a := range arms {
		v := doc.valueIn(x, a)
		if having[v] == nil {
			order = append(order, v)
		}
		having[v] = append(having[v], inert(a))
		if len(having[v]) > len(having[most]) {
			most = v
		}
	}
	order = append(slices.DeleteFunc(order, func(v string) bool { return v == most }), most)
	parts := make([]string, len(order))
	for i, v := range order {
		who := doc.words().list("list", having[v])
		if v == most && len(order) > 1 && len(having[v]) > 2 {
			who = doc.say("cell.others")
		}
		parts[i] = doc.say("text.value-in", "value", inert(v), "arms", who)
	}
	return doc.words().list("clauses", parts)
}
