package main

import (
	"encoding/json"
	"fmt"

	"github.com/tarebench/tare/internal/compare"
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
	if run.Imported != nil {
		return hinted{usage{fmt.Errorf("explain: %s was imported from %s logs, which have no counters of the server or the machine: no rule can be checked", dir, run.Imported.Format)},
			"tare report " + dir + " shows throughput and latency"}
	}
	res := compare.Run(run)
	if res.Sealed {
		return hinted{usage{fmt.Errorf("explain: %s is not finished: a cause seen early invites stopping when it looks right", dir)},
			"tare run --resume " + dir}
	}
	all := report.Explain(run, res)
	if !asJSON {
		return report.ExplainText(t.out, all)
	}
	enc := json.NewEncoder(t.out)
	enc.SetIndent("", " ")
	return enc.Encode(all)
}
