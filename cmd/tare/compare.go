package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/export"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// compareOptions are the flags of `tare compare`.
type compareOptions struct {
	format string
	lang   string
	failIf []string
	strict bool
	others experiment.Percent
	// history is a directory of runs, in place of two of them.
	history string
}

func compareVerb(t *terminal) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare A B | compare --history DIR",
		Short: "Compare two runs of an experiment",
		Long: "Compare every arm of run directory B with the same arm of the earlier run A. Trials of two sessions are\n" +
			"independent samples, so the confidence intervals are wider than those between arms of one run. Both throughputs\n" +
			"are printed, and p95 and p99 where the runs have them. If no arm of the two runs can be compared, the command says why and exits with 2.\n\n" +
			"Where other processes used 10 % of the machine or more in one of the runs, there is no verdict: they can be the\n" +
			"difference. --others-cpu 99% gives one all the same, also of runs made with --others-cpu.\n\n" +
			"--fail-if 'throughput<-3%' exits with 1 if the whole 95% confidence interval of an arm is below -3%.\n" +
			"A condition that a part of the interval meets is open, and so is one on a comparison without a verdict (too\n" +
			"few trials, a busy machine): the exit code is 0, with --strict 1. 'p99>20%' is about the change of p99\n" +
			"latency (or p95), which is longer by more than 20 %.\n\n" +
			"--history DIR is the same as `tare history DIR`.",
		Example:           "  tare compare runs/monday runs/tuesday\n  tare compare runs/main runs/branch --fail-if 'throughput<-3%' -o junit",
		ValidArgsFunction: directories(2),
		Args: args(func(c *cobra.Command, a []string) error {
			if o.history != "" {
				return cobra.NoArgs(c, a)
			}
			return cobra.ExactArgs(2)(c, a)
		}),
		RunE: func(_ *cobra.Command, a []string) error {
			if o.history != "" {
				if len(o.failIf) > 0 {
					return usage{fmt.Errorf("compare: --fail-if compares two runs; leave out --history or --fail-if")}
				}
				return showHistory(t, o.history, o.format, o.lang, o.others)
			}
			return compareRuns(t, a[0], a[1], o)
		},
	}
	formatFlag(c, &o.format, "text", "md", "json", "html", "junit")
	c.Flags().Lookup("format").Usage += " (one test per --fail-if)"
	langFlag(c, &o.lang)
	c.Flags().StringArrayVar(&o.failIf, "fail-if", nil, "condition that fails the comparison, for example 'throughput<-3%' or 'p99>20%'; can be repeated")
	othersFlag(c.Flags(), &o.others)
	c.Flags().Lookup("others-cpu").Usage = "share of the CPU time from which on other processes leave the comparison without a verdict, instead of protocol.othersCPU of the runs: 99% compares runs of any load (default 10%)"
	c.Flags().StringVar(&o.history, "history", "", "show every arm over the runs in this directory (see tare history)")
	c.Flags().BoolVar(&o.strict, "strict", false, "also fail if a condition is open: not excluded by the confidence interval, or without a verdict")
	return c
}

func compareRuns(t *terminal, before, after string, o compareOptions) error {
	if o.format == "junit" && len(o.failIf) == 0 {
		return hinted{usage{fmt.Errorf("compare: format junit has one test for each --fail-if, and there is none")},
			"add a condition, for example --fail-if 'throughput<-3%'"}
	}
	gates, err := parseGates("compare", o.failIf)
	if err != nil {
		return err
	}
	a, err := record.Open(before)
	if err != nil {
		return usage{err}
	}
	b, err := record.Open(after)
	if err != nil {
		return usage{err}
	}
	if sameFile(before, after) {
		fmt.Fprintf(t.err, "%s and %s are the same run: no arm differs from itself\n", before, after)
	}
	doc, err := report.BuildSessions(a, b, report.SessionsAsked{Gates: gates, Strict: o.strict, MostOthers: float64(o.others)}, versionString())
	if err != nil {
		return usage{err}
	}
	view := doc
	if o.lang != "" {
		if view, err = doc.In(o.lang); err != nil {
			return usage{fmt.Errorf("--lang: %w", err)}
		}
	}
	if err := renderSessions(t, view, o.format); err != nil {
		return err
	}
	var failed []string
	for _, g := range doc.Failed() {
		failed = append(failed, fmt.Sprintf("%s failed in %s: %s", g.Condition, g.Arm, g.Reason))
	}
	if failed != nil {
		return gate{fmt.Errorf("compare: %s", strings.Join(failed, "\ncompare: "))}
	}
	if compared, why := doc.Compared(); !compared {
		return usage{fmt.Errorf("compare: no arm was compared, because %s", why)}
	}
	return nil
}

// sameFile tells whether two paths are of one file or directory.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// parseGates reads the conditions of --fail-if.
func parseGates(verb string, texts []string) (gates []compare.Gate, err error) {
	for _, text := range texts {
		g, err := compare.ParseGate(text)
		if err != nil {
			return nil, usage{fmt.Errorf("%s: --fail-if: %w", verb, err)}
		}
		gates = append(gates, g)
	}
	return gates, nil
}

func renderSessions(t *terminal, doc *report.Sessions, format string) error {
	switch format {
	case "text":
		return text.Sessions(t.out, inLocale(t, doc), t.textOptions(t.out))
	case "md":
		return markdown.Sessions(t.out, doc)
	case "json":
		return report.SessionsJSON(t.out, doc)
	case "html":
		return page.Sessions(t.out, doc, page.Embedded())
	case "junit":
		return export.SessionsJUnit(t.out, doc)
	}
	return usage{fmt.Errorf("unknown format %q; use text, md, json, html or junit", format)}
}
