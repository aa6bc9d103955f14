// Package campaign runs an experiment until its result is complete: the planned rounds,
// repeated rounds, additional rounds, and the runs of a tuning.
//
// It is above both sides: it has the runner measure and asks compare what to do next.
package campaign

import (
	"context"
	"errors"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
)

// campaign is a run under way.
type campaign struct {
	job  runner.Job
	show *progress.Progress
	told int // the round whose end was told last, since the runner began
}

// Run carries the plan of a job out and lengthens it by the rule that the plan
// itself fixed: after its pilot, at a planned look, or round by round. Effects are not
// looked at in between for any other purpose: peeking costs false alarms (see
// docs/method.md). A run that was cut off continues where it ended.
func Run(ctx context.Context, job runner.Job, show *progress.Progress) error {
	c := &campaign{job: job, show: show}
	c.job.Record = record.NewReader(job.Dir, job.Experiment)
	c.job.Observe = c.observe
	c.job.Replanned = func(p experiment.Plan) { c.job.Plan = p }
	if err := errors.Join(record.FinishReplace(job.Dir, job.Plan), record.FinishSetAside(job.Dir, job.Plan)); err != nil {
		return err
	}
	for {
		run, err := c.complete(ctx)
		if err != nil {
			return err
		}
		if more, err := c.extend(run); err != nil || !more {
			return err
		}
	}
}

// complete carries out what is planned, then again the rounds that were disturbed by
// external factors, within the plan's budget. It looks at what the machine did, never
// at an effect.
func (c *campaign) complete(ctx context.Context) (*record.Run, error) {
	for {
		changed, err := c.measure(ctx)
		if err != nil {
			return nil, err
		}
		if changed {
			continue
		}
		run, err := c.job.Record.Read(c.job.Plan)
		if err != nil {
			return nil, err
		}
		void := compare.ToRepeat(run)
		if len(void) == 0 {
			return run, nil
		}
		for _, v := range void {
			if err := c.job.Record.SetAside(c.job.Plan, v); err != nil {
				return nil, err
			}
			c.show.Voided(v)
		}
	}
}

// measure carries out what is planned, until slices turn out not to hold for an arm: then the run
// goes over to the protocol that the plan has for this, and its rounds begin again. The first round
// is the pilot: it is looked at before the others are measured, and so is every later one.
func (c *campaign) measure(ctx context.Context) (changed bool, err error) {
	var change experiment.Change
	look := func() (bool, error) {
		run, err := c.job.Record.Read(c.job.Plan)
		if err == nil {
			change, changed = compare.NextProtocol(run)
		}
		return changed, err
	}
	if enough, err := look(); err != nil { // of a run that continues
		return false, err
	} else if !enough {
		job := c.job
		job.Enough = look
		if err := runner.Run(ctx, job); err != nil {
			return false, err
		}
	}
	if !changed {
		return false, nil
	}
	change.Why = language.English().Why(change.Reason)
	plan, err := c.job.Plan.Change(change)
	if err == nil {
		err = record.Replace(c.job.Dir, plan)
	}
	if err != nil {
		return false, err
	}
	c.job.Plan, c.job.Record = plan, record.NewReader(c.job.Dir, c.job.Experiment)
	c.show.Changed(plan)
	return true, nil
}

// extend lengthens the plan and saves it. It reports false when the run is at its end.
func (c *campaign) extend(run *record.Run) (bool, error) {
	rounds, why, more := compare.NextRounds(run)
	if !more {
		return false, nil
	}
	longer, err := c.job.Plan.Extend(c.job.Experiment, rounds, why)
	if err != nil {
		return false, err
	}
	if err := record.SavePlan(c.job.Dir, longer); err != nil {
		return false, err
	}
	c.job.Plan = longer
	c.show.Extended(longer, why)
	return true, nil
}

// observe passes on what the runner does. When a round has ended it reads the round's
// trials and says which rounds were disturbed; a record that cannot be
// read is complete's to complain of.
func (c *campaign) observe(e runner.Progress) {
	c.show.Observe(e)
	switch {
	case e.Kind == runner.Began:
		c.told = 0
		return
	case e.Kind != runner.Ended || e.Trial.Round == c.told: // trials that take turns end together
		return
	}
	run, err := c.job.Record.Read(c.job.Plan)
	if err == nil && ended(run, e.Trial.Round) {
		c.told = e.Trial.Round
		c.show.RoundEnded(e.Trial.Round, compare.Disturbed(run))
	}
}

// ended tells whether every trial of a round has an end.
func ended(run *record.Run, round int) bool {
	left := 0
	for _, t := range run.Plan.Trials {
		if t.Round == round {
			left++
		}
	}
	for _, t := range run.Trials {
		if t.Header.Round == round && t.End != nil {
			left--
		}
	}
	return left == 0
}
