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

// slowestText is a line for each part: of an average transaction, of one of the
// slowest, and what that is more than the baseline's.
func slowestText(w io.Writer, arm string, s *Slowest) error {
	if s == nil {
		return nil
	}
	fmt.Fprintf(w, "  %s\n", english().say("slowest.reading", "arms", s.told(english(), inert(arm))))
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(columns, "  \ton average\t\tof the slowest\t\t\t\t\n")
	for _, p := range s.Parts {
		if !s.worthARow(p) {
			continue
		}
		average, slow := s.shares(p)
		fmt.Fprintf(columns, "  %s\t%.3f ms\t%.0f %%\t%.3f ms\t%.0f %%\t%s\t%s\t\n", inert(p.Name), float64(p.Average), average, float64(p.Slow), slow,
			within(p.SlowInterval, p.SlowRounds), moved(p.Change, p.Interval, p.Rounds))
	}
	return columns.Flush()
}

// within is an interval with the rounds that it is from.
func within(in *[2]Number, rounds int) string {
	if in == nil {
		return "no interval, " + count(rounds, "round")
	}
	return fmt.Sprintf("[%.3f, %.3f], %s", float64(in[0]), float64(in[1]), count(rounds, "round"))
}

// moved is a change to the baseline with its interval; "" where there is none.
func moved(change Number, in *[2]Number, rounds int) string {
	switch {
	case in != nil:
		return fmt.Sprintf("%+.3f [%+.3f, %+.3f], %s", float64(change), float64(in[0]), float64(in[1]), count(rounds, "round"))
	case change.Known():
		return fmt.Sprintf("%+.3f, no interval, %s", float64(change), count(rounds, "round"))
	}
	return ""
}
