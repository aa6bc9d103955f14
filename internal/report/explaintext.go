package report

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/tarebench/tare/internal/diagnose"
)

// ExplainText prints what Explain gives, arm by arm: where the time goes, and that of
// the slowest transactions, what is confirmed with what would remove it, what is ruled
// out, what is not known.
func ExplainText(w io.Writer, all []Explained) error {
	for _, e := range all {
		fmt.Fprintf(w, "%s, %d threads\n", inert(e.Arm), e.Threads)
		if err := budgetText(w, e.Budget); err != nil {
			return err
		}
		if err := slowestText(w, e.Arm, e.Slowest); err != nil {
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
	if slices.ContainsFunc(all, func(e Explained) bool { return e.Slowest != nil }) {
		fmt.Fprintln(w, english().say("slowest.places"))
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
		fmt.Fprintf(columns, "  %s\t%.3f ms\t%s\t\n", p.Name, float64(p.Milliseconds), moved(p.Change, p.Interval, p.Rounds))
	}
	return columns.Flush()
}

func findingText(w io.Writer, f Finding) {
	fmt.Fprintf(w, "  %s: %s: %s\n    %s\n", f.Verdict, f.Rule, inert(f.Title), inert(f.Says))
	if f.Fix != "" {
		fmt.Fprintf(w, "    Fix: %s\n", inert(f.Fix))
	}
	if f.Change != "" {
		fmt.Fprintf(w, "    to measure: %s\n", inert(f.Change))
	}
}
