package report

import (
	"io"
	"math"
	"path/filepath"
	"slices"

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
	return s.translated(l), nil
}

func (s *Sessions) translated(l *Language) *Sessions {
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

func (s *Sessions) change(c Change) string {
	return s.say("sessions.change", "key", c.Key, "before", cut(c.Before, 60), "after", cut(c.After, 60))
}

func (s *Sessions) gateWord(g Gate) string {
	if g.Failed {
		return s.say("sessions.gate-failed")
	}
	return s.say("sessions.gate-passed")
}

func (s *Sessions) table(caption string, head ...string) Table {
	t := Table{Caption: s.say(caption)}
	for _, key := range head {
		t.Head = append(t.Head, s.say("head."+key))
	}
	return t
}

// contrastsTable is every arm with its figures and the reason for its verdict.
func contrastsTable(s *Sessions) Table {
	l := s.words()
	t := s.table("sessions.caption", "arm", "threads", "cost", "in95", "trials", "verdict", "reason")
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		mid, in95, _ := l.costCells(c)
		t.Rows = append(t.Rows, []Cell{
			words(c.Arm), number(grouped(int64(c.Threads))), number(mid), number(in95), number(grouped(int64(c.Rounds))),
			l.verdictCell(c.Verdict), {Text: cut(visible(c.Reason, false), 600)},
		})
	}
	return t
}

func gatesTable(s *Sessions) Table {
	t := s.table("sessions.gates", "condition", "arm", "outcome", "reason")
	t.Open = true
	for _, g := range s.Gates {
		t.Rows = append(t.Rows, []Cell{words(g.Condition), words(g.Arm), words(s.gateWord(g)), {Text: cut(visible(g.Reason, false), 600)}})
	}
	return t
}

// changedTable is the facts that differ, with the runs over the columns.
func changedTable(s *Sessions) Table {
	t := s.table("sessions.changed-facts", "fact")
	t.Head = append(t.Head, inert(s.Before.Run), inert(s.After.Run))
	t.Open = true
	for _, c := range s.Changed {
		t.Rows = append(t.Rows, []Cell{words(c.Key), words(c.Before), words(c.After)})
	}
	return t
}

// document has the contrasts of two runs, for what draws those of one.
func (s *Sessions) document() *Document {
	return &Document{Run: RunInfo{MarginPercent: s.MarginPercent}, Contrasts: s.Contrasts, Arms: loads(s.Contrasts), language: s.words()}
}
