package report

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// SessionsSchema names the document of two runs compared.
const SessionsSchema = "tare.sessions/v1"

// Sessions is two runs compared; docs/sessions.schema.json is its contract.
type Sessions struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Tare    string `json:"tare"`
	// Before and After are the runs' directories and plans.
	Before        RunRef     `json:"before"`
	After         RunRef     `json:"after"`
	MarginPercent Number     `json:"margin_percent"`
	Contrasts     []Contrast `json:"contrasts"`
	// Changed are facts that differ between the runs.
	Changed []Change `json:"changed"`
	Gates   []Gate   `json:"gates"`
	// Warnings are the sentences of WarningReasons.
	Warnings       []string         `json:"warnings"`
	WarningReasons []compare.Reason `json:"warning_reasons"`

	language *Language // of the sentences; nil for English
	source   *Sessions // of a translation: the comparison itself
}

// RunRef names a run.
type RunRef struct {
	Run      string `json:"run"`
	PlanHash string `json:"plan_hash"`
}

// Change is a fact of both runs.
type Change struct {
	Key    string `json:"key"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Gate is a condition with what became of it in one arm.
type Gate struct {
	Condition string `json:"condition"`
	Arm       string `json:"arm"`
	Failed    bool   `json:"failed"`
	// Reason is the sentence of Reasons.
	Reason  string           `json:"reason"`
	Reasons []compare.Reason `json:"reasons"`
}

// BuildSessions compares two runs; tare is the version of the program. strict
// gates fail also where the interval does not rule their condition out.
func BuildSessions(before, after *record.Run, gates []compare.Gate, strict bool, tare string) (*Sessions, error) {
	res, err := compare.Between(before, after)
	if err != nil {
		return nil, err
	}
	s := &Sessions{
		Schema: SessionsSchema, Version: Version, Tare: tare, Before: runRef(before), After: runRef(after),
		MarginPercent: Number(roundTo(100*res.Margin, 9)),
		Contrasts:     []Contrast{}, Changed: []Change{}, Gates: []Gate{}, WarningReasons: reasonsOf(res.Warnings),
	}
	for _, c := range res.Contrasts {
		s.Contrasts = append(s.Contrasts, contrast(c))
		for _, g := range gates {
			o := g.Of(c, strict)
			s.Gates = append(s.Gates, Gate{text(o.Gate), text(o.Arm), o.Failed, "", reasonsOf(o.Reasons)})
		}
	}
	for _, c := range res.Changed {
		s.Changed = append(s.Changed, Change{text(c.Key), text(c.Before), text(c.After)})
	}
	s.writeSentences()
	return s, nil
}

func runRef(r *record.Run) RunRef {
	return RunRef{text(filepath.Base(r.Dir)), text(r.Plan.Hash)}
}

// Failed are the gates that did not hold.
func (s *Sessions) Failed() []Gate {
	var all []Gate
	for _, g := range s.Gates {
		if g.Failed {
			all = append(all, g)
		}
	}
	return all
}

// In is the comparison with its sentences in another language, as Document.In.
func (s *Sessions) In(tag string) (*Sessions, error) {
	l, err := languageOf(tag)
	if err != nil {
		return nil, err
	}
	return s.in(l), nil
}

func (s *Sessions) in(l *Language) *Sessions {
	out := *s.original()
	out.language, out.source = l, s.original()
	out.Contrasts, out.Gates = slices.Clone(out.Contrasts), slices.Clone(out.Gates)
	out.writeSentences()
	return &out
}

// writeSentences makes the sentences; what was written by hand has no reasons and stays.
func (s *Sessions) writeSentences() {
	l := s.words()
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		if len(c.Reasons) > 0 {
			c.Reason = l.reasons(c.Reasons)
		}
		c.Sentence = s.sentence(c)
	}
	for i := range s.Gates {
		if g := &s.Gates[i]; len(g.Reasons) > 0 {
			g.Reason = l.reasons(g.Reasons)
		}
	}
	if len(s.WarningReasons) > 0 || s.Warnings == nil {
		s.Warnings = l.sentences(s.WarningReasons)
	}
}

// Translated says whether In has put the comparison into a language.
func (s *Sessions) Translated() bool { return s.language != nil }

func (s *Sessions) original() *Sessions {
	if s.source != nil {
		return s.source
	}
	return s
}

func (s *Sessions) words() *Language {
	if s.language == nil {
		return english()
	}
	return s.language
}

func (s *Sessions) say(key string, slots ...string) string { return s.words().say(key, slots...) }

// title names the two runs.
func (s *Sessions) title() string {
	return s.say("arm.against", "arm", s.After.Run, "base", s.Before.Run)
}

func (s *Sessions) sentence(c *Contrast) string {
	l := s.words()
	slots := []string{
		"arm", l.say("arm.at", "arm", c.Arm, "threads", l.count(c.Threads, "thread")), "reason", c.Reason,
		"margin", trimmed(s.MarginPercent), "trials", l.count(c.Rounds, "trial"),
	}
	if c.Interval == nil {
		return s.say("sessions.none", slots...)
	}
	cost := costOf(c)
	n := cost.digits()
	lo, hi, key := cost.lo, cost.hi, "sessions.slower"
	switch {
	case c.Verdict == "inconclusive" && lo < -farthest:
		key = "sessions.inconclusive.unbounded"
	case c.Verdict == "inconclusive":
		key = "sessions.inconclusive"
	case c.Verdict == "equivalent":
		key = "sessions.equivalent"
	case cost.mid < 0:
		lo, hi, key = -cost.hi, -cost.lo, "sessions.faster"
	}
	return s.say(key, append(slots, "size", decimal(math.Abs(cost.mid), n), "lo", decimal(lo, n), "hi", decimal(hi, n))...)
}

// SessionsJSON writes the document.
func SessionsJSON(w io.Writer, s *Sessions) error { return indented(w, "comparison", s) }

// SessionsText writes it for a terminal or a log.
func SessionsText(w io.Writer, s *Sessions, o TextOptions) error {
	t := newScreen(o)
	t.words("", 0, s.title())
	t.gap()
	for _, c := range s.Contrasts {
		t.verdict(s.words(), c.Verdict, c.Sentence)
	}
	if len(s.Changed) > 0 {
		t.heading(s.say("text.changed"))
		for _, c := range s.Changed[:min(len(s.Changed), 10)] {
			t.words("  ", 4, s.change(c))
		}
		if n := len(s.Changed) - 10; n > 0 {
			t.words("  ", 4, s.say("text.more-changes", "n", fmt.Sprint(n)))
		}
	}
	if len(s.Gates) > 0 {
		t.heading(s.say("text.gates"))
		for _, g := range s.Gates {
			t.words("  ", 4, s.say("sessions.gate", "state", s.gateWord(g), "condition", g.Condition, "arm", g.Arm, "reason", g.Reason))
		}
	}
	t.heading(s.say("text.notes"))
	for _, warning := range s.Warnings {
		t.words("  - ", 4, warning)
	}
	return t.write(w, "comparison")
}

func (s *Sessions) change(c Change) string {
	return s.say("sessions.change", "key", c.Key, "before", cut(c.Before, 60), "after", cut(c.After, 60))
}

func (s *Sessions) gateWord(g Gate) string {
	if g.Failed {
		return s.say("sessions.gate-failed")
	}
	return s.say("sessions.gate-passed")
}

// SessionsMarkdown writes it as a comment for a pull request.
func SessionsMarkdown(w io.Writer, s *Sessions) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### tare: %s\n\n", MarkdownMark, md(s.title()))
	t := contrastsTable(s)
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:len(t.Head)-1] // the reason is for the page
	}
	t.Head = t.Head[:len(t.Head)-1]
	markdownTable(&b, t)
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "- **%s**: %s, %s: %s\n", s.gateWord(g), md(g.Condition), md(g.Arm), md(g.Reason))
	}
	for _, c := range s.Changed {
		fmt.Fprintf(&b, "- %s\n", s.say("sessions.changed", "change", md(s.change(c))))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(&b, "- %s\n", md(warning))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}
