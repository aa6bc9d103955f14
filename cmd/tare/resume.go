package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/record"
)

// resumable refuses `tare run SPEC --resume DIR` where SPEC is another experiment than
// the one that DIR holds: a run is finished as it was planned.
func resumable(dir string, spec []string) error {
	if len(spec) == 0 {
		return nil
	}
	given, err := os.ReadFile(spec[0])
	if err != nil {
		return usage{fmt.Errorf("read experiment: %w", err)}
	}
	planned, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return usage{fmt.Errorf("resume: %w", err)}
	}
	same, err := sameWorkload(dir, spec[0])
	if err != nil {
		return err
	}
	if !bytes.Equal(given, planned) || !same {
		return hinted{usage{fmt.Errorf("resume: %s differs from the experiment that %s was started with", spec[0], dir)},
			fmt.Sprintf("continue the run as planned: tare run --resume %s; or start a new one: tare run %s", dir, spec[0])}
	}
	return nil
}

// sameWorkload says that an experiment has the workload file that a run was started with.
func sameWorkload(dir, spec string) (bool, error) {
	planned, err := os.ReadFile(filepath.Join(dir, record.WorkloadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // none; whether the experiment names one is in its text
	}
	if err != nil {
		return false, usage{fmt.Errorf("resume: %w", err)}
	}
	e, err := readSpec(spec)
	if err != nil {
		return false, err
	}
	return e.WorkloadFile != nil && bytes.Equal(e.WorkloadFile.Text, planned), nil
}

// stopped is the error of a run that did not reach its end, with what to do next. A run
// that stops again without a trial more is recorded as failed: trying it once more is
// no advice.
func stopped(ctx context.Context, dir string, err error) error {
	again := fmt.Sprintf("continue with: tare run --resume %s", dir)
	if ctx.Err() != nil { // interrupted: not the run's fault
		return hinted{err, again}
	}
	complete := 0
	if run, openErr := record.Open(dir); openErr == nil {
		for _, t := range run.Trials {
			if t.Incomplete == "" && t.End.Outcome != record.Failed {
				complete++
			}
		}
	}
	failure, noteErr := record.AddFailure(dir, err.Error(), complete)
	if noteErr != nil {
		return hinted{errors.Join(err, noteErr), again}
	}
	if failure.Final() {
		return hinted{err, fmt.Sprintf("the run stopped %d times at the same point and is recorded as failed; correct the cause and start a new run, or continue with: tare run --resume %s", failure.Times, dir)}
	}
	return hinted{err, again}
}
