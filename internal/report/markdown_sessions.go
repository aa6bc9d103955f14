package report

import (
	"fmt"
	"io"
	"strings"
)

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
