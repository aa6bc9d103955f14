package report

import (
	"fmt"
	"io"
	"path/filepath"
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
	Changed  []Change `json:"changed"`
	Gates    []Gate   `json:"gates"`
	Warnings []string `json:"warnings"`
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
	Reason    string `json:"reason"`
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
		Contrasts:     []Contrast{}, Changed: []Change{}, Gates: []Gate{}, Warnings: texts(res.Warnings),
	}
	for _, c := range res.Contrasts {
		out := contrast(c)
		out.Sentence = s.sentence(&out)
		s.Contrasts = append(s.Contrasts, out)
		for _, g := range gates {
			o := g.Of(c, strict)
			s.Gates = append(s.Gates, Gate{text(o.Gate), text(o.Arm), o.Failed, text(o.Reason)})
		}
	}
	for _, c := range res.Changed {
		s.Changed = append(s.Changed, Change{text(c.Key), text(c.Before), text(c.After)})
	}
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

func (s *Sessions) sentence(c *Contrast) string {
	arm := fmt.Sprintf("%s with %s", c.Arm, count(c.Threads, "thread"))
	if c.Interval == nil {
		return fmt.Sprintf("%s: not compared, because %s.", arm, c.Reason)
	}
	cost := costOf(c)
	n := cost.digits()
	trials := "at least " + count(c.Rounds, "trial") + " each"
	span := func(lo, hi float64) string {
		return fmt.Sprintf("(95 %% interval %s to %s, %s)", bounded(lo, n), decimal(hi, n), trials)
	}
	switch {
	case c.Verdict == "inconclusive":
		return fmt.Sprintf("%s: cannot tell. The later run is slower by %s to %s %% (95 %% interval, %s).", arm, bounded(cost.lo, n), decimal(cost.hi, n), trials)
	case c.Verdict == "equivalent":
		return fmt.Sprintf("%s: equivalent within %s %% %s.", arm, trimmed(s.MarginPercent), span(cost.lo, cost.hi))
	case cost.mid < 0:
		return fmt.Sprintf("%s: the later run is %s %% faster %s.", arm, decimal(-cost.mid, n), span(-cost.hi, -cost.lo))
	}
	return fmt.Sprintf("%s: the later run is %s %% slower %s.", arm, decimal(cost.mid, n), span(cost.lo, cost.hi))
}

// SessionsJSON writes the document.
func SessionsJSON(w io.Writer, s *Sessions) error { return indented(w, "comparison", s) }

// SessionsText writes it for a terminal or a log.
func SessionsText(w io.Writer, s *Sessions, o TextOptions) error {
	t := newScreen(o)
	t.words("", 0, fmt.Sprintf("%s against %s", s.After.Run, s.Before.Run))
	t.gap()
	for _, c := range s.Contrasts {
		t.verdict(english(), c.Verdict, c.Sentence)
	}
	if len(s.Changed) > 0 {
		t.heading("what else changed")
		for _, c := range s.Changed[:min(len(s.Changed), 10)] {
			t.words("  ", 4, fmt.Sprintf("%s: %s, then %s", c.Key, cut(c.Before, 60), cut(c.After, 60)))
		}
		if n := len(s.Changed) - 10; n > 0 {
			t.words("  ", 4, fmt.Sprintf("and %d more", n))
		}
	}
	if len(s.Gates) > 0 {
		t.heading("gates")
		for _, g := range s.Gates {
			t.words("  ", 4, fmt.Sprintf("%s: %s, %s: %s", gateWord(g), g.Condition, g.Arm, g.Reason))
		}
	}
	t.heading("note")
	for _, warning := range s.Warnings {
		t.words("  - ", 4, warning)
	}
	return t.write(w, "comparison")
}

func gateWord(g Gate) string {
	if g.Failed {
		return "FAILED"
	}
	return "passed"
}

// SessionsMarkdown writes it as a comment for a pull request.
func SessionsMarkdown(w io.Writer, s *Sessions) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### tare: %s against %s\n\n", MarkdownMark, md(s.After.Run), md(s.Before.Run))
	t := Table{Head: []string{"Arm", "Threads", "Cost, %", "95 % interval", "Trials", "Verdict"}}
	for i := range s.Contrasts {
		c := &s.Contrasts[i]
		mid, in95, _ := english().costCells(c)
		t.Rows = append(t.Rows, []Cell{words(c.Arm), number(fmt.Sprint(c.Threads)), number(mid), number(in95), number(fmt.Sprint(c.Rounds)), english().verdictCell(c.Verdict)})
	}
	markdownTable(&b, t)
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "- **%s**: %s, %s: %s\n", gateWord(g), md(g.Condition), md(g.Arm), md(g.Reason))
	}
	for _, c := range s.Changed {
		fmt.Fprintf(&b, "- changed: %s: %s, then %s\n", md(c.Key), md(cut(c.Before, 60)), md(cut(c.After, 60)))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(&b, "- %s\n", md(warning))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}
