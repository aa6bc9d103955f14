// Package section lists the questions that a report answers, each with its sentence,
// figures and tables.
package section

import (
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Section is one question that the report answers. A section is data: its
// sentence, its figures and the tables behind them. Page and Markdown lay all
// sections out in the same way; the terminal has its own short form.
type Section struct {
	ID string // its permalink; never renamed. Its question and how to read it are words of that name
	// Shown is false when the run did not ask the question; nil means always.
	Shown func(*report.Document) bool
	// Sentence answers the question from the document.
	Sentence func(*report.Document) string
	Figures  []Figure
	Tables   func(*report.Document) []Table
	// Also follows how to read it and depends on the run; nil for nothing.
	Also func(*report.Document) string
}

// Figure is a chart. The script draws Chart over Static, which is what a reader
// without scripts sees.
type Figure struct {
	ID, Chart string
	// Shown is false when the document holds nothing to draw.
	Shown func(*report.Document) bool
}

// Table is the numbers behind a figure.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]Cell
	// Open tables are not folded away: nothing above shows their numbers.
	Open bool
	// Code is preformatted text in a table's place.
	Code string
}

// NumberColumn reports whether a column holds numbers.
func (t Table) NumberColumn(k int) bool {
	return len(t.Rows) > 0 && k < len(t.Rows[0]) && t.Rows[0][k].Number
}

// Cell is a table's cell; Verdict, where set, gives it the verdict's mark.
type Cell struct {
	Text    string
	Number  bool
	Verdict string
}

func words(s string) Cell { return Cell{Text: safe.Name(s)} }

func number(s string) Cell { return Cell{Text: s, Number: true} }

// verdictCell has the verdict in the reader's words.
func verdictCell(l *language.Language, v string) Cell { return Cell{Text: l.Verdict(v), Verdict: v} }

// Question is the section's heading.
func (s Section) Question(d *report.Document) string { return d.Say(s.ID + ".question") }

// IsShownIn says whether the run asked the question.
func (s Section) IsShownIn(d *report.Document) bool { return s.Shown == nil || s.Shown(d) }

// TablesIn are the section's tables. A number that is not known is a word of the language.
func (s Section) TablesIn(d *report.Document) []Table {
	all := s.Tables(d)
	for _, t := range all {
		for _, row := range t.Rows {
			for k, c := range row {
				if c.Number && c.Text == language.UnknownNumber {
					row[k].Text = d.Say("cell.unknown")
				}
			}
		}
	}
	return all
}

// Sections are the report's sections in their order: the answer, the proof, what
// was compared, and how to do it again.
func Sections() []Section {
	return []Section{
		costSection(), hypothesesSection(), capacitySection(), priceSection(), eventsSection(), attributionSection(), explainedSection(), remedySection(), correlationSection(), networkSection(), roundsSection(), seriesSection(), stallsSection(), probesSection(), latencySection(), scalingSection(), trustSection(), calendarSection(), armsSection(), poolSection(),
		parametersSection(), differencesSection(), environmentSection(), madeSection(),
	}
}
