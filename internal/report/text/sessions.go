package text

import (
	"fmt"
	"io"

	"github.com/tarebench/tare/internal/report"
)

// Sessions writes it for a terminal or a log.
func Sessions(w io.Writer, s *report.Sessions, o Options) error {
	t := newScreen(o)
	t.words("", 0, s.Title())
	t.gap()
	for _, v := range s.Verdicts() {
		t.verdict(s.Language(), v.Verdict, v.Sentence)
	}
	if len(s.Changed) > 0 {
		t.heading(s.Say("text.changed"))
		for _, c := range s.Changed[:min(len(s.Changed), 10)] {
			t.words("  ", 4, s.Change(c))
		}
		if n := len(s.Changed) - 10; n > 0 {
			t.words("  ", 4, s.Say("text.more-changes", "n", fmt.Sprint(n)))
		}
	}
	if len(s.Gates) > 0 {
		t.heading(s.Say("text.gates"))
		for _, g := range s.Gates {
			t.words("  ", 4, s.Say("sessions.gate", "state", s.GateWord(g), "condition", g.Condition, "arm", g.Arm, "reason", g.Reason))
		}
	}
	t.heading(s.Say("text.notes"))
	for _, warning := range s.Warnings {
		t.words("  - ", 4, warning)
	}
	return t.write(w, "comparison")
}
