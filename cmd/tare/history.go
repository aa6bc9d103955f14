package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/text"
)

func historyVerb(t *terminal) *cobra.Command {
	var format, lang string
	var others experiment.Percent
	c := &cobra.Command{
		Use:   "history DIR",
		Short: "Show how the arms' throughput changed over the runs in a directory",
		Long: "Show every arm's throughput over all finished runs in the subdirectories of DIR, with its 95% confidence\n" +
			"interval, the oldest run first, and the runs from which on it stayed higher or lower. A run of a machine of\n" +
			"which others used 10 % or more has no figure, also one made with --others-cpu, unless `tare history` has that\n" +
			"flag: their load can look like a change from run to run. Copies of a run are listed once.\n" +
			"`tare compare` compares two runs.",
		Example:           "  tare history runs\n  tare history runs --lang zh\n  tare history runs --others-cpu 99%\n  tare history runs -o json",
		Args:              args(cobra.ExactArgs(1)),
		ValidArgsFunction: directories(1),
		RunE:              func(_ *cobra.Command, a []string) error { return showHistory(t, a[0], format, lang, others) },
	}
	formatFlag(c, &format, "text", "json")
	langFlag(c, &lang)
	othersFlag(c.Flags(), &others)
	c.Flags().Lookup("others-cpu").Usage = "share of the CPU time from which on other processes leave a run without a figure, instead of protocol.othersCPU of the run: 99% shows runs of any load (default 10%)"
	return c
}

// showHistory is also `tare compare --history DIR`.
func showHistory(t *terminal, dir, format, lang string, others experiment.Percent) error {
	lang, err := ruleLanguage(t, lang)
	if err != nil {
		return err
	}
	l, err := language.Of(lang)
	if err != nil {
		return usage{fmt.Errorf("--lang: %w", err)}
	}
	runs, err := runsIn(dir)
	if err != nil {
		return usage{err}
	}
	if _, err := os.Stat(dir); err != nil {
		return usage{fmt.Errorf("history: %s does not exist", dir)}
	}
	if len(runs) == 0 {
		return usage{fmt.Errorf("history: no runs in the subdirectories of %s", dir)}
	}
	doc := report.BuildHistory(compare.History(runs, float64(others)), versionString())
	switch format {
	case "text":
		return text.History(t.out, doc, l)
	case "json":
		return report.HistoryJSON(t.out, doc)
	}
	return usage{fmt.Errorf("unknown format %q for a history; use text or json", format)}
}

// runsIn are the runs and imports in the subdirectories of dir.
func runsIn(dir string) ([]*record.Run, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var runs []*record.Run
	for _, file := range []string{record.PlanFile, record.ImportFile} {
		for _, e := range entries {
			if _, err := os.Lstat(filepath.Join(dir, e.Name(), file)); err != nil || strings.HasPrefix(e.Name(), ".") {
				continue // not a run
			}
			run, err := record.Open(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}
