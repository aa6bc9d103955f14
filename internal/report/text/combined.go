package text

import (
	"io"

	"github.com/tarebench/tare/internal/report"
)

// Combined writes the runs of one experiment taken together, for a terminal or a log.
func Combined(w io.Writer, c *report.Combined, o Options) error {
	t := newScreen(o)
	t.words("", 0, c.Title())
	t.gap()
	for i := range c.Effects {
		e := &c.Effects[i]
		t.verdict(e.Verdict, c.Language().Word(e.Verdict), e.Sentence)
	}
	if said := c.Confidence(); said != "" {
		t.gap()
		t.words("", 0, said)
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		t.heading(c.Say("combined.each", "arm", c.Called(e), "base", e.Baseline))
		for _, r := range e.Runs {
			t.words("  ", 4, c.InRun(e, r))
		}
		t.words("  ", 4, e.SpreadSentence)
	}
	t.heading(c.Say("combined.machines"))
	for _, m := range c.Machines {
		t.words("  ", 4, c.Machine(m))
	}
	t.heading(c.Say("text.notes"))
	for _, warning := range c.Warnings {
		t.words("  - ", 4, warning)
	}
	return t.write(w, "combined runs")
}
