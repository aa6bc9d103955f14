// Package text writes reports for a terminal or a log.
package text

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/section"
)

// Options say what the reader's terminal can do.
type Options struct {
	// Width in columns; taken as 80 when 0, and held between 40 and 120: longer
	// lines are hard to read.
	Width   int
	Color   bool
	Unicode bool
}

// Write writes the report for a terminal or a log.
func Write(w io.Writer, doc *report.Document, o Options) error {
	s := newScreen(o)
	for _, part := range []func(*screen, *report.Document){
		textTitle, textFirst, textIntervals, textHeadline, textLatency, textScaling, textHypotheses, textCapacity, textEvents, textAttribution, textExplained, textArms, textPrices, textCgroup, textCorrelations, textNetwork, textStalls, textDifferences, textWarnings, textNext, textScope,
	} {
		part(s, doc)
	}
	return s.write(w, "report")
}

// screen collects lines of a width.
type screen struct {
	Options
	out bytes.Buffer
}

func newScreen(o Options) *screen {
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = min(120, max(40, o.Width))
	return &screen{Options: o}
}

// write gives all lines to w; what they are is named in the error.
func (s *screen) write(w io.Writer, what string) error {
	if _, err := w.Write(s.out.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

func (s *screen) line(text string) {
	s.out.WriteString(strings.TrimRight(text, " "))
	s.out.WriteByte('\n')
}

// gap is an empty line between two parts.
func (s *screen) gap() {
	if s.out.Len() > 0 {
		s.out.WriteByte('\n')
	}
}

// paint sets one of the terminal's own 16 colours, so that its theme holds.
func (s *screen) paint(code, text string) string {
	if !s.Color || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

const (
	bold = "1"
	dim  = "2"
)

// words writes text wrapped at spaces, the first line after first and the others
// indented as far. first may hold colours; its width is given.
func (s *screen) words(first string, indent int, text string) {
	prefix := first
	for _, l := range wrap(s.ascii(safe.Quoted(safe.Text(text))), s.Width-indent) {
		s.line(prefix + l)
		prefix = strings.Repeat(" ", indent)
	}
}

// ascii replaces the few signs of ours that a terminal without Unicode lacks.
func (s *screen) ascii(text string) string {
	if s.Unicode {
		return text
	}
	return strings.ReplaceAll(text, "±", "+-")
}

// name fits a name into width cells, cut in its middle, where names of one family
// differ least.
func (s *screen) name(name string, width int) string {
	name = safe.Name(name)
	if w := runewidth.StringWidth(name); w > width {
		half := (width - 1) / 2
		r := []rune(name)
		tail := runewidth.TruncateLeft(name, runewidth.StringWidth(name)-half, "")
		name = runewidth.Truncate(string(r), width-2-half, "") + ".." + tail
	}
	return runewidth.FillRight(name, width)
}

func (s *screen) glyph(verdict string) string {
	m := report.MarkOf(verdict)
	if s.Unicode {
		return m.Glyph
	}
	return m.ASCII
}

// nameWidth is the column that the arms' names need.
func (s *screen) nameWidth(doc *report.Document) int {
	w := 4
	for _, a := range doc.Arms {
		w = max(w, runewidth.StringWidth(safe.Name(doc.Label(a.Name, a.Threads))))
	}
	return min(w, s.Width*3/10)
}

func textTitle(s *screen, doc *report.Document) {
	s.line(s.paint(bold, "tare") + "  " + strings.TrimRight(s.name(doc.Run.Name, s.Width-6), " "))
	s.words("", 0, doc.Language().List("list", report.Meta(doc)))
	s.gap()
}

// textFirst is what stands above the chart.
func textFirst(s *screen, doc *report.Document) { s.answers(section.First(doc)) }

func (s *screen) answers(all []section.Answer) {
	for _, a := range all {
		if a.Verdict == "" {
			s.words("", 0, a.Sentence)
			continue
		}
		s.verdict(a.Verdict, a.Word, a.Sentence)
	}
}

// textHeadline is what the answer above the chart is made of.
func textHeadline(s *screen, doc *report.Document) {
	for _, part := range [][]section.Answer{section.Leads(doc), section.Others(doc)} {
		if len(part) > 0 {
			s.gap()
			s.answers(part)
		}
	}
	asides := section.Asides(doc)
	if len(asides) > 0 && len(section.Others(doc)) == 0 {
		s.gap()
	}
	for _, a := range asides {
		s.words("  ", 2, a.Sentence)
	}
}

func (s *screen) verdict(verdict, word, sentence string) {
	m := report.MarkOf(verdict)
	lead := s.glyph(verdict) + " " + word
	indent := runewidth.StringWidth(lead) + 2
	if s.Width < 60 {
		s.line(s.paint(m.Bold(), lead))
		s.words("  ", 2, sentence)
		return
	}
	s.words(s.paint(m.Bold(), lead)+"  ", indent, sentence)
}

// heading names a part, when the part has anything to show.
func (s *screen) heading(text string) {
	s.gap()
	for _, l := range wrap(s.ascii(safe.Text(text)), s.Width) {
		s.line(s.paint(bold, l))
	}
}

func textDifferences(s *screen, doc *report.Document) {
	var declared, undeclared []report.Difference
	for _, d := range doc.Differences {
		if d.Declared {
			declared = append(declared, d)
		} else {
			undeclared = append(undeclared, d)
		}
	}
	if len(doc.Differences) == 0 {
		return
	}
	s.heading(doc.Say("text.differences"))
	for _, d := range undeclared[:min(len(undeclared), 5)] {
		s.words("  "+s.glyph("invalid")+" ", 4, doc.Say("text.difference", "key", d.Key, "values", valuesOf(doc, d), "why", language.Capital(d.Why)))
	}
	if n := len(undeclared) - 5; n > 0 {
		s.words("    ", 4, doc.Say("text.more-differences", "n", fmt.Sprint(n), "question", doc.Say("differences.question"), "command", doc.Named("tare report DIR --format json")))
	}
	s.words("  ", 2, section.DifferencesSentence(doc))
	switch {
	case len(undeclared) > 0:
	case doc.Running(), len(declared) > fewDeclared+1 && slices.ContainsFunc(doc.Parameters, func(p report.Parameter) bool { return p.Differs }):
		decidingDifferences(s, doc)
	default:
		declaredDifferences(s, doc, declared)
	}
}

// fewDeclared are as many declared differences as a reader compares; of more the rest is counted.
const fewDeclared = 6

// declaredDifferences are the first settings in which the arms differ, with the values.
func declaredDifferences(s *screen, doc *report.Document, all []report.Difference) {
	shown := all
	if len(all) > fewDeclared+1 {
		shown = all[:fewDeclared]
	}
	for _, d := range shown {
		s.words("    ", 6, doc.Say("text.setting", "key", d.Key, "values", valuesOf(doc, d)))
	}
	if n := len(all) - len(shown); n > 0 {
		s.words("    ", 4, doc.Say("text.more-declared", "n", fmt.Sprint(n), "question", doc.Say("differences.question"), "command", doc.Named("tare report DIR --format json")))
	}
}

// decidingDifferences are, of servers whose settings tare does not set, and of others with many differences, such as those of
// two releases, the ones that decide most, and where all of them are.
func decidingDifferences(s *screen, doc *report.Document) {
	said := false
	for _, p := range doc.Parameters {
		if !p.Differs {
			continue
		}
		if !said {
			s.words("  ", 2, doc.Say("text.settings"))
			said = true
		}
		d := report.Difference{Key: keys.MySQLVariablePrefix + p.Name, Values: map[string]string{}}
		for arm, v := range p.Values {
			d.Values[arm] = v.Value
		}
		s.words("    ", 6, doc.Say("text.setting", "key", p.Name, "values", valuesOf(doc, d)))
	}
	if !said && len(doc.Parameters) > 0 {
		s.words("  ", 2, section.ParametersSentence(doc))
	}
	s.words("  ", 2, doc.Say("text.all-differences", "settings", doc.Count(len(doc.Differences), "setting"),
		"question", doc.Say("differences.question"), "command", doc.Named("tare report DIR --format json")))
}

// valuesOf lists the values with the arms that have them, in the order of the
// arms.
func valuesOf(doc *report.Document, d report.Difference) string {
	var order, seen []string
	arms := map[string][]string{}
	for _, a := range doc.Arms {
		v, ok := d.Values[a.Name]
		v = doc.ValueOf(a.Name, d.Key, v)
		if !ok || slices.Contains(seen, a.Name) {
			continue
		}
		seen = append(seen, a.Name)
		if arms[v] == nil {
			order = append(order, v)
		}
		arms[v] = append(arms[v], a.Name)
	}
	parts := make([]string, len(order))
	for i, v := range order {
		value := safe.Cut(v, 60)
		if value == "" {
			value = doc.Say("text.no-value")
		}
		parts[i] = doc.Say("text.value-in", "value", value, "arms", doc.Language().List("list", arms[v]))
	}
	return doc.Language().List("clauses", parts)
}

func textWarnings(s *screen, doc *report.Document) {
	if len(doc.Warnings) == 0 {
		return
	}
	s.heading(doc.Say("text.notes"))
	for _, w := range doc.Warnings {
		s.words("  - ", 4, safe.Cut(w, 600))
	}
}

// textNext is what to do about the result, with commands that can be pasted.
func textNext(s *screen, doc *report.Document) {
	if len(doc.Next) == 0 {
		return
	}
	s.heading(doc.Say("text.next"))
	for i, step := range doc.Next {
		lead := fmt.Sprintf("  %d. ", i+1)
		s.words(lead, len(lead), safe.Sentence(step.Do)+doc.Say("join.sentences")+safe.Sentence(step.Why))
		for _, line := range strings.Split(strings.TrimSpace(step.Command), "\n") {
			if line != "" { // a command is never wrapped: it is to be copied
				s.line("       " + safe.Sentence(doc.Named(line)))
			}
		}
		if len(step.Alternatives) > 0 {
			s.words("     ", 5, doc.Say("next.or"))
		}
		for _, other := range step.Alternatives {
			s.words("     - ", 7, safe.Sentence(other))
		}
	}
}

func textScope(s *screen, doc *report.Document) {
	s.gap()
	s.words("", 0, doc.Scope)
	for _, detail := range doc.Details() {
		s.words("", 0, detail)
	}
}
