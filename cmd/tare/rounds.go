package main

import (
	"context"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// measure carries the plan out and lengthens it by the rule that the plan itself
// fixed: after its pilot, at a planned look, or round by round. Effects are not
// looked at in between for any other purpose: peeking costs false alarms (see
// docs/method.md).
func measure(ctx context.Context, job *runner.Job, show *progress.Progress) error {
	for {
		if err := complete(ctx, job, show); err != nil {
			return err
		}
		more, err := extend(job, show)
		if err != nil || !more {
			return err
		}
	}
}

// extend lengthens the plan and saves it. It reports false when the run is at its end.
func extend(job *runner.Job, show *progress.Progress) (bool, error) {
	run, err := record.Open(job.Dir)
	if err != nil {
		return false, err
	}
	rounds, why, more := compare.NextRounds(run)
	if !more {
		return false, nil
	}
	longer, err := job.Plan.Extend(job.Experiment, rounds, why)
	if err != nil {
		return false, err
	}
	if err := record.SavePlan(job.Dir, longer); err != nil {
		return false, err
	}
	job.Plan = longer
	show.Extended(longer, why)
	return true, nil
}
