package report

// Section is one question that the report answers. A section is data: its
// sentence, its figures and the tables behind them. Page and Markdown lay all
// sections out in the same way; the terminal has its own short form.
type Section struct {
	ID string // its permalink; never renamed. Its question and how to read it are words of that name
	// Shown is false when the run did not ask the question; nil means always.
	Shown func(*Document) bool
	// Sentence answers the question from the document.
	Sentence func(*Document) string
	Figures  []Figure
	Tables   func(*Document) []Table
	// Also follows how to read it and depends on the run; nil for nothing.
	Also func(*Document) string
}

// Figure is a chart. The script draws Chart over Static, which is what a reader
// without scripts sees.
type Figure struct {
	ID, Chart string
	// Shown is false when the document holds nothing to draw.
	Shown func(*Document) bool
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

func words(s string) Cell  { return Cell{Text: inert(s)} }
func number(s string) Cell { return Cell{Text: s, Number: true} }

// verdictCell has the verdict in the reader's words.
func (l *Language) verdictCell(v string) Cell { return Cell{Text: l.verdict(v), Verdict: v} }

// question is the section's heading.
func (s Section) question(d *Document) string { return d.say(s.ID + ".question") }

func (s Section) isShownIn(d *Document) bool { return s.Shown == nil || s.Shown(d) }

// Sections are the report's sections in their order: the answer, the proof, what
// was compared, and how to do it again.
func Sections() []Section {
	return []Section{
		costSection(), attributionSection(), explainedSection(), remedySection(), correlationSection(), roundsSection(), seriesSection(), probesSection(), latencySection(), scalingSection(), trustSection(), calendarSection(), armsSection(),
		differencesSection(), environmentSection(), madeSection(),
	}
}
