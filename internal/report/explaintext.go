package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tarebench/tare/internal/diagnose"
)

// ExplainText prints what Explain gives, arm by arm: where the time goes, what is
// confirmed with what would remove it, what is ruled out, what is not known.
func ExplainText(w io.Writer, all []Explained) error {
	for _, e := range all {
		fmt.Fprintf(w, "%s, %d threads\n", inert(e.Arm), e.Threads)
		if err := budgetText(w, e.Budget); err != nil {
			return err
		}
		for _, v := range []diagnose.Verdict{diagnose.Confirmed, diagnose.RuledOut, diagnose.Unknown} {
			for _, f := range e.Findings {
				if f.Verdict == string(v) {
					findingText(w, f)
				}
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// budgetText is a line for each part, with what it is more than the baseline's.
func budgetText(w io.Writer, parts []Spent) error {
	if len(parts) == 0 {
		fmt.Fprintln(w, "  where the time goes is not known: no probes, no latency, or threads without names")
		return nil
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, p := range parts {
		change := ""
		switch {
		case p.Interval != nil:
			change = fmt.Sprintf("%+.3f [%+.3f, %+.3f], %s", float64(p.Change), float64(p.Interval[0]), float64(p.Interval[1]), count(p.Rounds, "round"))
		case p.Change.Known():
			change = fmt.Sprintf("%+.3f, no interval, %s", float64(p.Change), count(p.Rounds, "round"))
		}
		fmt.Fprintf(columns, "  %s\t%.3f ms\t%s\t\n", p.Name, float64(p.Milliseconds), change)
	}
	return columns.Flush()
}

func findingText(w io.Writer, f Finding) {
	fmt.Fprintf(w, "  %s: %s: %s\n    %s\n", f.Verdict, f.Rule, inert(f.Title), inert(f.Says))
	if f.Write != "" {
		fmt.Fprintf(w, "    write: %s\n", inert(f.Write))
	}
	if f.Change != "" {
		fmt.Fprintf(w, "    to measure: %s\n", inert(f.Change))
	}
}
