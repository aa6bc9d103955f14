package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/text"
)

// combineOptions are the flags of `tare combine`.
type combineOptions struct {
	format   string
	lang     string
	machines []string // NAME=DIR
}

func combineVerb(t *terminal) *cobra.Command {
	var o combineOptions
	c := &cobra.Command{
		Use:   "combine DIR... | combine --machine NAME=DIR...",
		Short: "Combine the runs of an experiment on several machines",
		Long: "Combine the runs of one experiment: every arm's change from the baseline over the machines, with the\n" +
			"confidence interval over machines, and the variation between rounds, runs and machines. Runs of a single\n" +
			"machine give an interval over its runs. With fewer than three of either there is no interval.\n\n" +
			"Runs are of one experiment if their files differ only in the place of the server's files, the number of\n" +
			"rounds, the seed, prices and hypotheses. The machine of a run is in its record where tare started the\n" +
			"servers on it; otherwise name it with --machine.",
		Example: "  tare combine runs/node1 runs/node2 runs/node3\n" +
			"  tare combine --machine a=runs/1 --machine a=runs/2 --machine b=runs/3 -o json",
		ValidArgsFunction: directories(math.MaxInt),
		Args: args(func(c *cobra.Command, a []string) error {
			if len(o.machines) > 0 {
				return cobra.NoArgs(c, a)
			}
			return cobra.MinimumNArgs(2)(c, a)
		}),
		RunE: func(_ *cobra.Command, a []string) error { return combine(t, a, o) },
	}
	formatFlag(c, &o.format, "text", "json")
	langFlag(c, &o.lang)
	c.Flags().StringArrayVar(&o.machines, "machine", nil, "a run with the name of its machine; for all runs or for none")
	return c
}

func combine(t *terminal, dirs []string, o combineOptions) error {
	var names []string
	for _, m := range o.machines {
		name, dir, ok := strings.Cut(m, "=")
		if !ok || name == "" || dir == "" {
			return usage{fmt.Errorf("combine: --machine %q is not NAME=DIR", m)}
		}
		names, dirs = append(names, name), append(dirs, dir)
	}
	var runs []*record.Run
	for _, dir := range dirs {
		r, err := record.Open(dir)
		if err != nil {
			return usage{err}
		}
		runs = append(runs, r)
	}
	combined, err := compare.Combine(runs, names)
	if unknown := (compare.UnknownMachine{}); errors.As(err, &unknown) {
		return hinted{usage{err}, "name the machine of every run, for example --machine node1=" + filepath.Clean(unknown.Dir)}
	}
	if err != nil {
		return usage{err}
	}
	return renderCombined(t, report.BuildCombined(combined, versionString()), o)
}

func renderCombined(t *terminal, doc *report.Combined, o combineOptions) error {
	if o.lang != "" {
		view, err := doc.In(o.lang)
		if err != nil {
			return usage{fmt.Errorf("--lang: %w", err)}
		}
		doc = view
	}
	if o.format == "json" {
		return report.CombinedJSON(t.out, doc)
	}
	return text.Combined(t.out, inLocale(t, doc), t.textOptions(t.out))
}
