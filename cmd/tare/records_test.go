package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestEarlierRecords: a run that an earlier version of tare wrote is read and reported.
// testdata/records has one for each version of the stream and of plan.json; those of
// stream 2 are from the first commit of this repository, and those of stream 1 are the
// same without samples, as version 1 had none; that of stream 4 searched for a capacity, and that of stream 5 measured
// latency at a fixed rate.
func TestEarlierRecords(t *testing.T) {
	for version := 1; version <= record.Version; version++ {
		found, err := filepath.Glob(filepath.Join("testdata", "records", fmt.Sprintf("stream-%d-plan-*", version)))
		if err != nil || len(found) == 0 {
			t.Errorf("no record of stream version %d: keep one that the version before wrote", version)
		}
		for _, dir := range found {
			earlierRecord(t, dir, version)
		}
	}
	for version := 1; version <= experiment.PlanVersion; version++ {
		if found, err := filepath.Glob(filepath.Join("testdata", "records", fmt.Sprintf("stream-*-plan-%d", version))); err != nil || len(found) == 0 {
			t.Errorf("no record of plan version %d: keep one that the version before wrote", version)
		}
	}
}

func earlierRecord(t *testing.T, dir string, version int) {
	t.Helper()
	earlier, err := record.Open(dir)
	if err != nil {
		t.Error(err)
		return
	}
	measured := 0
	for _, trial := range earlier.Trials {
		if trial.Incomplete == "" && trial.Header.Version == version && trial.End.Outcome == record.Measured && trial.Window != nil {
			measured++
		}
	}
	if measured != 3 {
		t.Errorf("%s: %d trials of version %d are read, not 3", dir, measured, version)
	}
	for _, args := range [][]string{{"report", "--format", "json", dir}, {"report", dir}} {
		var out, errs bytes.Buffer
		if code := run(args, &terminal{out: &out, err: &errs, stateDir: t.TempDir()}); code != exitDone || out.Len() == 0 {
			t.Errorf("tare %v: exit %d: %s", args, code, errs.String())
		}
	}
}
