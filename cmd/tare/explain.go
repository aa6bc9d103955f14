package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// explainRun says where each arm's transactions spend their time, and what every
// rule makes of its counters.
func explainRun(t *terminal, dir string, asJSON bool) error {
	run, err := record.Open(dir)
	if err != nil {
		return usage{err}
	}
	res := compare.Run(run)
	if res.Sealed {
		return hinted{usage{fmt.Errorf("explain: %s is not finished: a cause seen early invites stopping when it looks right", dir)},
			"tare run --resume " + dir}
	}
	if asJSON {
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", " ")
		return enc.Encode(report.Explain(run, res))
	}
	findings := diagnose.Run(run, res, diagnose.Rules())
	for i := range res.Arms {
		arm := &res.Arms[i]
		fmt.Fprintf(t.out, "%s, %d threads\n", arm.Name, arm.Threads)
		if err := printBudget(t.out, arm); err != nil {
			return err
		}
		diagnose.RunText(t.out, findings, arm.Name, arm.Threads)
		fmt.Fprintln(t.out)
	}
	return nil
}

// printBudget is a line for each part, with what it is more than the baseline's.
func printBudget(out io.Writer, arm *compare.Arm) error {
	if arm.Budget == nil {
		fmt.Fprintln(out, "  where the time goes is not known: no probes, no latency, or threads without names")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, p := range append([]compare.Spent{arm.Budget.Mean}, arm.Budget.Parts...) {
		fmt.Fprintf(w, "  %s\t%.3f ms\t%s\t\n", p.Name, p.Milliseconds, changed(p))
	}
	return w.Flush()
}

func changed(p compare.Spent) string {
	switch {
	case math.IsNaN(p.Change):
		return ""
	case p.Interval == nil:
		return fmt.Sprintf("%+.3f", p.Change)
	}
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", p.Change, p.Interval.Lo, p.Interval.Hi)
}
