package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/section"
)

// Sessions writes it as a comment for a pull request.
func Sessions(w io.Writer, s *report.Sessions) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### tare: %s\n\n", Mark, Escape(s.Title()))
	if len(s.Others) > 0 {
		fmt.Fprintf(&b, "**%s**\n\n", Escape(s.BesideOthers()))
	}
	t := section.SessionContrasts(s)
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:len(t.Head)-1] // the reason is for the page, and where there is no interval below
	}
	t.Head = t.Head[:len(t.Head)-1]
	markdownTable(&b, t)
	if len(s.Latencies) > 0 {
		latencies := section.SessionLatencies(s)
		fmt.Fprintf(&b, "%s\n\n", Escape(latencies.Caption))
		markdownTable(&b, latencies)
	}
	for _, c := range s.Contrasts {
		if c.Interval == nil || c.Exploratory {
			fmt.Fprintf(&b, "- %s\n", Escape(c.Sentence))
		}
	}
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "- **%s**: %s, %s: %s\n", s.GateWord(g), Escape(g.Condition), Escape(g.Arm), Escape(g.Reason))
	}
	for _, c := range s.Changed {
		fmt.Fprintf(&b, "- %s\n", s.Say("sessions.changed", "change", Escape(s.Change(c))))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(&b, "- %s\n", Escape(warning))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}
