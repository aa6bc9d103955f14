package main

import (
	"fmt"
	"path/filepath"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// followRuns is `tare compare --history DIR`.
func followRuns(t *terminal, o compareOptions) error {
	if len(o.failIf) > 0 {
		return usage{fmt.Errorf("compare: --fail-if wants two runs, not --history")}
	}
	var runs []*record.Run
	for _, file := range []string{record.PlanFile, record.ImportFile} {
		found, err := filepath.Glob(filepath.Join(o.history, "*", file))
		if err != nil {
			return usage{fmt.Errorf("list runs: %w", err)}
		}
		for _, path := range found {
			run, err := record.Open(filepath.Dir(path))
			if err != nil {
				return usage{err}
			}
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		return usage{fmt.Errorf("compare: no runs are in %s", o.history)}
	}
	doc := report.BuildHistory(compare.History(runs), versionString())
	switch o.format {
	case "text":
		return report.HistoryText(t.out, doc)
	case "json":
		return report.HistoryJSON(t.out, doc)
	}
	return usage{fmt.Errorf("no format of a history is called %q; write text or json", o.format)}
}
