package live

// This file writes the report as text and as Markdown.

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/report/text"
)

func (v view) text(to io.Writer) error {
	w := &bytes.Buffer{}
	fmt.Fprintln(w, v.say("watched.title", "server", safe.Name(v.Server), "seen", v.seen(safe.Name(v.Version))))
	if v.Ended > 0 {
		fmt.Fprint(w, text.Paragraph("", 0, v.gone()))
	}
	fmt.Fprint(w, text.Paragraph("", 0, v.answer()))
	if v.Present() > 0 {
		fmt.Fprint(w, text.Paragraph("", 0, v.uncosted()))
	}
	fmt.Fprintln(w)
	if len(v.Budget) > 0 {
		fmt.Fprintln(w, v.say("watched.budget."+v.Unit))
		var rows [][]string
		for i := range v.Budget {
			rows = append(rows, []string{"  " + v.part(i), v.spent(i, " ms")})
		}
		if err := text.Columns(w, rows); err != nil {
			return err
		}
		fmt.Fprint(w, text.Paragraph("", 0, v.overlap()))
		fmt.Fprintln(w)
	}
	for _, said := range []string{v.noBudget(), v.fewLocks()} {
		if said != "" {
			fmt.Fprint(w, text.Paragraph("", 0, said))
			fmt.Fprintln(w)
		}
	}
	excluded, unknown := false, []Cause(nil)
	for _, c := range v.causes() {
		switch c.State {
		case ruledOutState:
			excluded = true
			continue
		case unknownState:
			unknown = append(unknown, c)
			continue
		}
		fmt.Fprint(w, text.Paragraph("", 2, v.say("explain.finding", "verdict", v.state(c), "rule", c.Rule, "cause", c.Title)))
		fmt.Fprint(w, text.Paragraph("  ", 2, safe.Quoted(c.Evidence)))
		if c.Fix != "" {
			fmt.Fprint(w, text.Paragraph("  ", 4, v.say("explain.fix", "fix", safe.Quoted(c.Fix))))
		}
	}
	if excluded {
		v.ruledOut(w)
	}
	v.unknown(w, unknown)
	v.changes(w)
	fmt.Fprintln(w)
	fmt.Fprint(w, text.Paragraph("", 0, v.took()))
	// Parts that are absent leave no second empty line.
	_, err := to.Write(bytes.ReplaceAll(w.Bytes(), []byte("\n\n\n"), []byte("\n\n")))
	return err
}

// ruledOut is a line for each cause that the counters exclude.
func (v view) ruledOut(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", v.say("watched.ruled-out"))
	for _, c := range v.causes() {
		if c.State == ruledOutState {
			fmt.Fprint(w, text.Paragraph("  "+c.Rule+": ", 4, safe.Quoted(c.Evidence)))
		}
	}
}

// unknown are the rules without a verdict by what is missing, which many of them share.
func (v view) unknown(w io.Writer, causes []Cause) {
	if len(causes) == 0 {
		return
	}
	var reasons []string
	rules := map[string][]string{}
	for _, c := range causes {
		why := reason(c.Evidence)
		if rules[why] == nil {
			reasons = append(reasons, why)
		}
		rules[why] = append(rules[why], c.Rule)
	}
	fmt.Fprintf(w, "\n%s\n", v.say("watched.unknown"))
	for _, why := range reasons {
		fmt.Fprint(w, text.Paragraph("  "+strings.Join(rules[why], " ")+": ", 4, why))
	}
}

// reason is why nothing is known: what stands behind the counter that was not read, or the whole.
func reason(evidence string) string {
	for _, colon := range []string{": ", "："} {
		if _, why, is := strings.Cut(evidence, colon); is {
			return why
		}
	}
	return evidence
}

// changes are those that a run can measure, and the command for it.
func (v view) changes(w io.Writer) {
	if len(v.tries()) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", v.say("watched.changes"))
	for _, c := range v.tries() {
		fmt.Fprintf(w, "  %s: %s\n", c.Rule, safe.Name(c.Change))
	}
	fmt.Fprintf(w, "  %s\n", v.say("watched.proof", "command", safe.Name(v.proof())))
}

func (v view) markdown(w io.Writer) error {
	fmt.Fprintf(w, "### tare: %s\n\n%s\n\n%s\n", markdown.Escape(v.Server), markdown.Escape(v.answer()), v.say("watched.sentence", "seen", v.seen(markdown.Escape(v.Version)), "took", markdown.Escape(v.took())))
	if v.Present() > 0 {
		fmt.Fprintf(w, "\n%s\n", v.uncosted())
	}
	if v.Ended > 0 {
		fmt.Fprintf(w, "\n**%s**\n", v.gone())
	}
	if len(v.Budget) > 0 {
		fmt.Fprintf(w, "\n| %s | ms |\n|---|---:|\n", v.say("watched.budget."+v.Unit))
		for i := range v.Budget {
			fmt.Fprintf(w, "| %s | %s |\n", markdown.Escape(v.part(i)), v.spent(i, ""))
		}
		fmt.Fprintf(w, "\n%s\n", v.overlap())
	}
	if why := v.noBudget(); why != "" {
		fmt.Fprintf(w, "\n%s\n", markdown.Escape(why))
	}
	if locks := v.fewLocks(); locks != "" {
		fmt.Fprintf(w, "\n%s\n", locks)
	}
	fmt.Fprintf(w, "\n| %s | %s | %s | %s | %s |\n|---|---|---|---|---|\n",
		v.say("watched.head.state"), v.say("watched.head.rule"), v.say("watched.head.cause"), v.say("watched.head.evidence"), v.say("watched.head.fix"))
	for _, c := range v.causes() {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", v.state(c), c.Rule, markdown.Escape(c.Title), markdown.Escape(c.Evidence), markdown.Escape(c.Fix))
	}
	if len(v.tries()) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n\n", v.say("watched.measure"))
	for _, c := range v.tries() {
		fmt.Fprintf(w, "- %s: `%s`\n", c.Rule, safe.Name(c.Change))
	}
	fence := markdown.FenceFor(v.proof())
	_, err := fmt.Fprintf(w, "\n%ssh\n%s\n%s\n", fence, safe.Name(v.proof()), fence)
	return err
}
