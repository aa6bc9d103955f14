package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// resumable refuses `tare run SPEC --resume DIR` where SPEC is another experiment than
// the one that DIR holds: a run is finished as it was planned.
func resumable(dir string, spec []string) error {
	if len(spec) == 0 {
		return nil
	}
	given, err := readSpec(spec[0], specChange{})
	if err != nil {
		return err
	}
	planned, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return usage{fmt.Errorf("resume: %w", err)}
	}
	same := bytes.Equal(given.Source, planned)
	if same {
		if same, err = sameWorkload(dir, given); err != nil {
			return err
		}
	}
	if !same {
		return hinted{usage{fmt.Errorf("resume: %s differs from the experiment that %s was started with", spec[0], dir)},
			fmt.Sprintf("continue the run as planned: tare run --resume %s; or start a new one: tare run %s", dir, spec[0])}
	}
	return nil
}

// sameWorkload says that an experiment has the workload file or the script that a run was started
// with.
func sameWorkload(dir string, e *experiment.Experiment) (bool, error) {
	for name, now := range map[string]*experiment.Text{record.WorkloadFile: e.WorkloadFile, record.ScriptFile: e.Script} {
		planned, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // none; whether the experiment names one is in its text
		}
		if err != nil {
			return false, usage{fmt.Errorf("resume: %w", err)}
		}
		if now == nil || !bytes.Equal(now.Text, planned) {
			return false, nil
		}
	}
	return true, nil
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
	var data runner.DataError
	if errors.As(err, &data) { // the same data have the same error
		return hinted{err, "correct data.from or data.schema, and start a new run"}
	}
	if hopeless(err) {
		return hinted{err, "correct the arm's settings, and start a new run"}
	}
	if errors.Is(err, mysqld.ErrDied) || target.ArmsOwn(err) { // while the data were prepared, or it would be a trial's
		return hinted{err, "correct what the message says in the experiment or its manifests, and start a new run; if the cause was elsewhere, " + again}
	}
	if failure.Final() {
		return hinted{err, fmt.Sprintf("the run stopped %d times at the same point and is recorded as failed; correct the cause and start a new run, or continue with: tare run --resume %s", failure.Times, dir)}
	}
	if complete > 0 {
		again += fmt.Sprintf("; how the trials ended: tare report %s", dir)
	}
	return hinted{err, again}
}

// hopeless tells whether each other attempt of a run has this error too, in a trial or while its data were prepared.
func hopeless(err error) bool {
	return errors.As(err, &runner.HopelessError{}) || errors.As(err, &target.Hopeless{})
}

// removeEarlier removes what earlier processes of a run left elsewhere than on this machine. It is
// the first step of a resumed run: a check counts what is free in a cluster.
func removeEarlier(ctx context.Context, t *terminal, dir string, e *experiment.Experiment) error {
	unlock, err := record.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	state, err := t.state()
	if err != nil {
		return err
	}
	job := runner.Job{Dir: dir, Experiment: e, State: state}
	_, _ = makeTargets(&job), makeFrom(&job) // what is wrong with their settings, assemble says
	return resumeTargets(ctx, job, t.err)
}

// resumeTargets has every target remove what is left, the load last: what is left of an arm says
// how it is removed. The first error ends it: the run does not start then, and another target of the
// same cluster would wait for the same object.
func resumeTargets(ctx context.Context, job runner.Job, log io.Writer) error {
	var removals []func(ctx context.Context, run string, log io.Writer) error
	for _, arm := range job.Experiment.Arms {
		if place, ok := job.Targets[arm.Name]; ok {
			removals = append(removals, place.Capabilities().Resume)
		}
	}
	if job.From != nil {
		removals = append(removals, job.From.Resume)
	}
	for _, remove := range removals {
		if remove == nil {
			continue
		}
		if err := remove(ctx, job.Dir, log); err != nil {
			return fmt.Errorf("resume: what an earlier process of this run left would be measured with it: %w", err)
		}
	}
	return nil
}

// noteTargets writes down what a process that resumes the run has to remove if this one is killed.
func noteTargets(job runner.Job) error {
	var places []target.Target
	for _, arm := range job.Experiment.Arms {
		places = append(places, job.Targets[arm.Name])
	}
	if job.Second != nil {
		places = append(places, job.Second)
	}
	for _, place := range places {
		if note := place.Capabilities().Note; note != nil {
			if err := note(job.Dir); err != nil {
				return err
			}
		}
	}
	if job.From != nil && job.From.Note != nil {
		return job.From.Note(job.Dir)
	}
	return nil
}
