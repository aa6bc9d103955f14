package report

import (
	"fmt"
	"io"
)

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
