package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/export"
	"github.com/tarebench/tare/internal/report"
)

func exportVerb(t *terminal) *cobra.Command {
	var out string
	var unseal bool
	var failIf []string
	var o export.Options
	c := &cobra.Command{
		Use:   "export FORMAT DIR",
		Short: "Write a run's results as CSV, Parquet, JUnit and other formats",
		Long: "Write the results of a run in a format for other programs:\n\n" + formatHelp() + "\n\n" +
			"`tare report` writes text, Markdown, HTML and the JSON result.",
		Example:           "  tare export csv runs/first --out csv/\n  tare export junit runs/first > junit.xml\n  tare export junit runs/first --fail-if 'throughput<-3%' --fail-if 'p99>20%' > junit.xml",
		ValidArgsFunction: wordThen(formatNames, directories(1)),
		Args:              args(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, a []string) error {
			i := slices.IndexFunc(export.Formats(), func(f export.Format) bool { return f.Name == a[0] })
			if i < 0 {
				return usage{fmt.Errorf("unknown format %q; use %s", a[0], strings.Join(formatNames(), ", "))}
			}
			if export.Formats()[i].Tables != nil && out == "" {
				return usage{fmt.Errorf("export: %s writes several files; name a directory with --out", a[0])}
			}
			gates, err := parseGates("export", failIf)
			if err != nil {
				return err
			}
			if len(gates) > 0 && a[0] != "junit" {
				return usage{fmt.Errorf("export: --fail-if is for junit; %s has no tests", a[0])}
			}
			run, err := openUnsealed(a[1], unseal)
			if err != nil {
				return usage{err}
			}
			doc, err := report.Build(run, versionString())
			if err != nil {
				return usage{err}
			}
			o.Gates = report.GatesOf(run, gates, o.StrictJUnit)
			return writeExport(t.out, export.Formats()[i], doc, out, o)
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write, or directory for a format with several files (default standard output)")
	unsealFlag(c, &unseal)
	c.Flags().BoolVar(&o.Excel, "excel", false, "csv: quote text that a spreadsheet would interpret as a formula")
	c.Flags().BoolVar(&o.StrictJUnit, "strict", false, "junit: also fail if the confidence interval does not exclude a cost above the margin, or what --fail-if says")
	c.Flags().StringArrayVar(&failIf, "fail-if", nil, "junit: a test for each condition that fails the comparison, for example 'throughput<-3%' or 'p99>20%', instead of the margin; can be repeated")
	return c
}

func writeExport(stdout io.Writer, f export.Format, doc *report.Document, out string, o export.Options) error {
	switch {
	case f.Tables != nil:
		return export.Directory(out, f, doc, o)
	case out != "":
		return export.File(out, func(w io.Writer) error { return f.File(w, doc, o) })
	}
	return f.File(stdout, doc, o)
}

func formatNames() []string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func formatHelp() string {
	var lines []string
	for _, f := range export.Formats() {
		lines = append(lines, fmt.Sprintf("  %-11s %s", f.Name, f.Help))
	}
	return strings.Join(lines, "\n")
}
