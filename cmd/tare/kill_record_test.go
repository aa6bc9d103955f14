package main

// What a record must hold after its tare was killed.

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// structure is what two runs of one experiment have in common: the files, and of
// every trial its outcome and the metrics that were measured. A window of a second in which a busy
// machine commits nothing is as good as a measured one here.
func structure(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		found[name] = ""
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(found, "prepare.log") // of the run that made the data
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		metrics := map[string]bool{}
		for _, m := range trial.Metrics {
			metrics[m.Name] = true
		}
		name, _ := filepath.Rel(dir, trial.Dir)
		outcome := trial.End.Outcome
		if outcome == record.Starved {
			outcome = record.Measured
		}
		found[name] = fmt.Sprintf("%s %s metrics %v", trial.Incomplete, outcome, metrics)
	}
	return found
}

// completeTrials are the checksums of the streams that count: a trial that failed is run
// again, and by slices all trials of its round.
func completeTrials(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	if _, err := os.Stat(filepath.Join(dir, record.PlanFile)); err != nil {
		return sums // killed before the plan was saved
	}
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	begun := func(round int) bool {
		return slices.ContainsFunc(run.Plan.Trials, func(p experiment.Trial) bool {
			return p.Round == round && !slices.ContainsFunc(run.Trials, func(t *record.Trial) bool { return t.Header.Trial == p.Number && t.HasResult() })
		})
	}
	for _, trial := range run.Trials {
		if trial.HasResult() && !(run.Plan.Sliced() && begun(trial.Header.Round)) {
			b, err := os.ReadFile(filepath.Join(trial.Dir, record.StreamFile))
			if err != nil {
				t.Fatal(err)
			}
			sums[trial.Dir] = sha256.Sum256(b)
		}
	}
	return sums
}

// unchanged counts the trials that were complete and are not what they were.
func unchanged(t *testing.T, before, after map[string][32]byte) (lost int) {
	t.Helper()
	for dir, sum := range before {
		if after[dir] != sum {
			lost++
			t.Errorf("%s was complete and has been run again", dir)
		}
	}
	return lost
}
