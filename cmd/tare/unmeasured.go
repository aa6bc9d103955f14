package main

// A run in which an arm has no figure at all has not answered what was asked: its end is an error, for CI too.

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// unmeasured is the error of a finished run for the arms of which no trial was measured, nil where there is none. The trials
// are results all the same, and the report shows them.
func unmeasured(run *record.Run) error {
	measured, trials, first := map[string]bool{}, map[string]int{}, map[string]string{}
	for _, t := range run.Trials {
		if t.End == nil {
			continue
		}
		arm := t.Header.Arm
		if trials[arm]++; trials[arm] == 1 {
			first[arm] = strings.TrimSuffix(string(t.End.Outcome)+": "+safe.Sentence(t.End.Reason), ": ")
		}
		measured[arm] = measured[arm] || t.End.Outcome == record.Measured
	}
	var all []string
	for _, arm := range run.Experiment.Arms {
		if trials[arm.Name] > 0 && !measured[arm.Name] {
			all = append(all, fmt.Sprintf("%s (%s; the first: %s)", arm.Name, language.English().Count(trials[arm.Name], "trial"), first[arm.Name]))
		}
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("%s not measured in any trial: %s", map[bool]string{true: "an arm was", false: "arms were"}[len(all) == 1], strings.Join(all, ", "))
}
