package main

import (
	"context"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// complete carries out what is planned, then again the rounds that something
// disturbed which no arm can cause, within the plan's budget. It looks at what the
// machine did, never at an effect.
func complete(ctx context.Context, job *runner.Job, show *progress.Progress) error {
	for {
		if err := runner.Run(ctx, *job); err != nil {
			return err
		}
		run, err := record.Open(job.Dir)
		if err != nil {
			return err
		}
		void := compare.ToRepeat(run)
		if len(void) == 0 {
			return nil
		}
		for _, v := range void {
			if err := record.SetAside(job.Dir, job.Plan, v); err != nil {
				return err
			}
			show.Voided(v)
		}
	}
}
