package text

import (
	"fmt"
	"io"
	"slices"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Explain prints in a language what Explain of the report gives, arm by arm: where the time goes, and
// that of the slowest transactions, what is present with what would remove it, what is
// ruled out, what is not known. Sentences are wrapped at a width of columns; 0 leaves each on its
// line, for other programs to read.
func Explain(w io.Writer, all []report.Explained, lang string, width int) error {
	l, err := language.Of(lang)
	if err != nil {
		return err
	}
	x := explainWriter{w, (&report.Document{}).InLanguage(l), width}
	told := slices.ContainsFunc(all, func(e report.Explained) bool { return e.Slowest != nil })
	for _, e := range all {
		fmt.Fprintln(w, x.say("explain.arm", "arm", safe.Name(e.Arm), "threads", x.doc.Count(e.Threads, "thread")))
		if err := x.budget(e); err != nil {
			return err
		}
		if err := x.slowest(e.Arm, e.Slowest); err != nil {
			return err
		}
		if told && e.Slowest == nil {
			x.words(2, x.say("slowest.few", "n", fmt.Sprint(record.EnoughSlow)))
		}
		for _, state := range []string{string(diagnose.Proved), string(diagnose.Explains), string(diagnose.Present), string(diagnose.RuledOut), string(diagnose.Unknown)} {
			for _, f := range e.Findings {
				if f.State == state {
					x.finding(f)
				}
			}
		}
		fmt.Fprintln(w)
	}
	if told {
		x.words(0, x.say("slowest.places"))
	}
	return nil
}

// explainWriter writes in the language of a document.
type explainWriter struct {
	io.Writer
	doc   *report.Document
	width int
}

// words writes a sentence, every line of it indented.
func (x explainWriter) words(indent int, text string) {
	text = safe.Quoted(text)
	lines := []string{text}
	if x.width > 0 {
		lines = wrap(text, min(120, max(40, x.width))-indent)
	}
	for _, l := range lines {
		fmt.Fprintf(x, "%*s%s\n", indent, "", l)
	}
}

func (x explainWriter) say(key string, slots ...string) string { return x.doc.Say(key, slots...) }

// part is the name of a part of the time.
func (x explainWriter) part(name string) string {
	return safe.Name(x.doc.Language().Place(name))
}

// budget is a line for each part, with what it is more than the baseline's.
func (x explainWriter) budget(e report.Explained) error {
	if len(e.Budget) == 0 {
		if e.Slowest == nil && e.Untimed != "" { // its table says where the time goes, statement by statement
			x.words(2, x.say(e.Untimed))
		}
		return nil
	}
	var rows [][]string
	for _, p := range e.Budget {
		rows = append(rows, []string{"  " + x.part(p.Name), milliseconds(p.Milliseconds), x.moved(p.Change, p.Interval, p.Rounds)})
	}
	return Columns(x, rows)
}

func (x explainWriter) finding(f report.Finding) {
	verdict := f.State
	if x.doc.Language() != language.English() {
		verdict = x.say("finding." + verdict)
	}
	x.words(2, x.say("explain.finding", "verdict", verdict, "rule", f.Rule, "cause", x.doc.RuleName(f)))
	x.words(4, safe.Sentence(x.doc.Says(f)))
	if f.Fix != "" {
		x.words(4, x.say("explain.fix", "fix", safe.Sentence(x.doc.FixOf(f))))
	}
	if f.Change != "" {
		x.words(4, x.say("explain.measure", "change", safe.Name(f.Change)))
	}
}

// slowest is a line for each part: of an average transaction, of one of the slowest, and
// what that is more than the baseline's.
func (x explainWriter) slowest(arm string, s *report.Slowest) error {
	if s == nil {
		return nil
	}
	x.words(2, x.say("slowest.reading", "arms", s.Told(x.doc.Language(), safe.Name(arm))))
	rows := [][]string{{"  ", x.say("explain.average"), "", x.say("explain.slowest"), "", "", ""}}
	for _, p := range s.Parts {
		if !s.WorthARow(p) {
			continue
		}
		average, slow := s.Shares(p)
		rows = append(rows, []string{"  " + x.part(p.Name), milliseconds(p.Average), x.share(average), milliseconds(p.Slow), x.share(slow),
			x.within(p.SlowInterval, p.SlowRounds), x.moved(p.Change, p.Interval, p.Rounds)})
	}
	return Columns(x, rows)
}

func milliseconds(v report.Number) string { return fmt.Sprintf("%.3f ms", float64(v)) }

func (x explainWriter) share(percent float64) string {
	return x.say("percent", "x", language.Decimal(percent, 0))
}

// within is an interval with the rounds that it is from.
func (x explainWriter) within(in *[2]report.Number, rounds int) string {
	if in == nil {
		return x.say("explain.alone", "value", "", "rounds", x.doc.Count(rounds, "round"))
	}
	return fmt.Sprintf("[%.3f, %.3f], %s", float64(in[0]), float64(in[1]), x.doc.Count(rounds, "round"))
}

// moved is a change to the baseline with its interval; "" where there is none.
func (x explainWriter) moved(change report.Number, in *[2]report.Number, rounds int) string {
	switch {
	case in != nil:
		return fmt.Sprintf("%+.3f [%+.3f, %+.3f], %s", float64(change), float64(in[0]), float64(in[1]), x.doc.Count(rounds, "round"))
	case change.Known():
		return x.say("explain.alone", "value", fmt.Sprintf("%+.3f, ", float64(change)), "rounds", x.doc.Count(rounds, "round"))
	}
	return ""
}
