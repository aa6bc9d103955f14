package section

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/safe"
)

func parametersSection() Section {
	return Section{
		ID:       "parameters",
		Shown:    func(d *report.Document) bool { return len(d.Parameters) > 0 },
		Sentence: ParametersSentence,
		Tables:   func(d *report.Document) []Table { return []Table{parameterTable(d)} },
	}
}

// ParametersSentence names the parameters that differ between the arms.
func ParametersSentence(d *report.Document) string {
	var differ []string
	for _, p := range d.Parameters {
		if p.Differs {
			differ = append(differ, safe.Name(p.Name))
		}
	}
	if len(differ) == 0 {
		return d.Say("parameters.alike", "parameters", d.Count(len(d.Parameters), "parameter"))
	}
	return d.Say("parameters.differ", "parameters", d.Count(len(d.Parameters), "parameter"), "names", d.Language().List("list", differ))
}

// parameterTable has the arms as columns, or the parameters where there are more arms than a
// page has room for.
func parameterTable(d *report.Document) Table {
	arms := armNames(d)
	t := Table{Caption: d.Say("caption.parameters"), Open: true}
	if len(arms) <= sideBySide {
		t.Head = d.Heads("parameter")
		for _, a := range arms {
			t.Head = append(t.Head, safe.Name(a))
		}
		for _, p := range d.Parameters {
			row := []Cell{words(p.Name)}
			for _, a := range arms {
				row = append(row, words(d.ParameterOf(a, p)))
			}
			t.Rows = append(t.Rows, row)
		}
		return t
	}
	t.Head = d.Heads("arm")
	for _, p := range d.Parameters {
		t.Head = append(t.Head, safe.Name(p.Name))
	}
	for _, a := range arms {
		row := []Cell{words(a)}
		for _, p := range d.Parameters {
			row = append(row, words(d.ParameterOf(a, p)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
