package runner

// This file is the window at a fixed rate (load.latency): after the measured window of a closed
// loop, the same server gets an open loop at a rate that all arms share. The rate is fixed once for
// the run: as a number by the file, or as a share of what the slowest arm completed in the closed
// loop of the first round.

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// RatePhase is the phase of a trial in which it has load at the fixed rate.
const RatePhase = "measure at the fixed rate"

// fixedRate is the plan's rate, which one round of a run finds for all that follow.
type fixedRate struct{ perSecond float64 }

// fixRate finds the rate of a run that has none yet, from the throughputs of a round's closed loops,
// and saves it in the plan before anything is measured at it. Without a throughput there is none. The first round gives none
// where the server of an arm was lost or did not start in it: that arm may be the slowest. The second does, without an arm
// that has no throughput in it either.
func (j Job) fixRate(done []completed) error {
	if j.rate.perSecond > 0 {
		return nil
	}
	least, missing := slowest(j.Experiment, done)
	rate := j.Experiment.Load.Latency.Rate.Of(least)
	if rate == 0 || missing && done[0].trial.Round == 1 && j.Plan.Rounds > 1 {
		return nil
	}
	plan, err := j.Plan.FixRate(rate)
	if err != nil {
		return err
	}
	if err := record.SavePlan(j.Dir, plan); err != nil {
		return err
	}
	fault.At("rate: it is saved")
	j.rate.perSecond = rate
	if j.Replanned != nil {
		j.Replanned(plan)
	}
	return nil
}

// completed is the throughput of a trial's closed loop.
type completed struct {
	trial      experiment.Trial
	throughput float64
}

// slowest is the smallest throughput of the arms that are measured at the rate, each at the level of
// the load at which it completes most; 0 where none has one. missing says that one of them has none.
func slowest(e *experiment.Experiment, done []completed) (least float64, missing bool) {
	best := map[string]float64{}
	for _, d := range done {
		at := d.trial
		at.Threads, at.Again = slices.Max(e.Load.Threads), false
		if e.AtRate(at) {
			best[d.trial.Arm] = math.Max(best[d.trial.Arm], d.throughput)
		}
	}
	least = math.Inf(1)
	for _, v := range best {
		if v == 0 {
			missing = true
			continue
		}
		least = math.Min(least, v)
	}
	if math.IsInf(least, 0) {
		return 0, missing
	}
	return least, missing
}

// rateOfRecord fixes the rate from the first complete round on record: trials with windows of their
// own are measured one after the other, so that the first round of such a run has no window at a
// rate that depends on it.
func (j Job) rateOfRecord() error {
	if j.Experiment.Load.Latency == nil || j.Plan.Sliced() || j.rate.perSecond > 0 {
		return nil
	}
	if j.Experiment.Load.Latency.Rate.PerSecond > 0 {
		return j.fixRate(nil)
	}
	run, err := j.Record.Read(j.Plan)
	if err != nil {
		return err
	}
	rounds, planned := map[int][]completed{}, len(j.Plan.Trials)/max(1, j.Plan.Rounds)
	for _, t := range run.Trials {
		if t.HasResult() {
			round := append(rounds[t.Header.Round], completed{j.Plan.Trials[t.Header.Trial-1], measuredThroughput(t.End.Outcome, t.Window)})
			if rounds[t.Header.Round] = round; len(round) < planned {
				continue
			}
			if err := j.fixRate(round); err != nil || j.rate.perSecond > 0 {
				return err
			}
		}
	}
	return nil
}

func measuredThroughput(o record.Outcome, w *record.Window) float64 {
	if o != record.Measured || w == nil {
		return 0
	}
	return w.Throughput()
}

// atRate measures a trial with a window of its own. The outcome of the trial stands.
func (t *trial) atRate(ctx context.Context) error {
	if !t.Experiment.AtRate(t.plan) || t.rate.perSecond == 0 {
		return nil
	}
	w := t.newRateWindow()
	watched, life := t.watchLife(ctx, 0)
	t.life = life
	if err := t.phase(RatePhase); err != nil {
		return errors.Join(err, life.conclude(ctx))
	}
	w.seen.Outcome, w.seen.Reason, w.err = t.bounded(watched, w.job, w.take)
	return w.end(ctx)
}

// rateWindow is the window at the fixed rate of a trial under way.
type rateWindow struct {
	trial *trial
	job   loadgen.Job
	seen  record.AtRate
	err   error // of tare or the machine
}

func (t *trial) newRateWindow() *rateWindow {
	w := &rateWindow{trial: t, job: t.job(), seen: record.AtRate{Rate: t.rate.perSecond}}
	w.job.Rate = t.rate.perSecond
	w.job.Warmup, w.job.Measure = t.Experiment.LatencyTimes()
	w.job.Arrivals, w.job.Preempt = t.arrivals(1), true
	return w
}

// take takes a line of the load: its series is not kept, its totals are those of the window.
func (w *rateWindow) take(l record.Line) error {
	t := w.trial
	switch {
	case l.Interval != nil:
		t.life.heard(l.Interval)
		t.seeRecord()
	case l.Event != nil:
		return t.write(l)
	case l.Fact != nil:
		w.fact(l.Fact)
	case l.Window != nil:
		w.seen.Seconds, w.seen.Counts, w.seen.Uncounted, w.seen.Latency = l.Window.Seconds, l.Window.Counts, l.Window.Uncounted, l.Window.Latency
	}
	return nil
}

func (w *rateWindow) fact(f *record.Fact) {
	switch f.Key { // written by our own engine
	case keys.LoadArrivalsDue:
		w.seen.Due, _ = strconv.ParseInt(f.Value, 10, 64)
	case keys.LoadArrivalsUnsent:
		w.seen.Unsent, _ = strconv.ParseInt(f.Value, 10, 64)
	case keys.LoadLatenessP99MS:
		w.seen.Lateness, _ = strconv.ParseFloat(f.Value, 64)
	case keys.LoadInvalid:
		w.seen.Generator = f.Value
	case keys.LoadInvalidCode:
		w.seen.Code = f.Value
	}
}

// end ends the watch over the server's life and writes the window down. Where tare or the machine
// failed, the trial did: it is measured again as a whole.
func (w *rateWindow) end(ctx context.Context) error {
	t := w.trial
	if lost := t.life.conclude(ctx); lost != nil {
		w.seen.Outcome, w.seen.Reason, w.err = record.ServerLost, strings.TrimPrefix(lost.Error(), errLost.Error()+": "), nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.err != nil {
		return w.err
	}
	return t.write(record.Line{AtRate: &w.seen})
}

// atRate has the trials whose closed loops were measured take turns once more, at the fixed rate.
func (r *round) atRate(ctx context.Context) error {
	first := r.trials[0]
	schedule, cells := first.Plan.RateTurns(first.Experiment, first.plan.Round)
	if len(cells) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var done []completed
	for _, t := range r.trials {
		done = append(done, completed{t.plan, measuredThroughput(t.outcome, t.window)})
	}
	if err := first.fixRate(done); err != nil || first.rate.perSecond == 0 {
		return err
	}
	turning, ready, windows := make([]*trial, len(cells)), []*trial(nil), map[*trial]*rateWindow{}
	for _, t := range r.trials {
		for cell, planned := range cells {
			if t.plan == planned && t.outcome == record.Measured {
				turning[cell], windows[t] = t, t.newRateWindow()
				ready = append(ready, t)
			}
		}
	}
	if len(ready) == 0 {
		return nil
	}
	r.inTurns(ctx, schedule, true, turning, ready, func(t *trial, begin *start) {
		windows[t].takeTurns(ctx, turns{begin: begin, schedule: schedule, cell: slices.Index(turning, t)})
	})
	var all sync.WaitGroup
	for t, w := range windows {
		all.Go(func() {
			if err := w.end(ctx); err != nil {
				t.outcome, t.reason = failed(record.AtLoad, err)
			}
		})
	}
	all.Wait()
	return nil
}

// takeTurns offers the rate in the turns of a cell.
func (w *rateWindow) takeTurns(ctx context.Context, of turns) {
	w.seen.Outcome, w.seen.Reason, w.err = w.trial.inTurns(ctx, of, RatePhase, w.job, w.take)
}
