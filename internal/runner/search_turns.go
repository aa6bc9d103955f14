package runner

// This file is the search for the capacity in a round whose trials take turns. All searches take a step at the same
// time, each at a rate of its own, so that what slows the machine down falls on all arms.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/capacity"
	"github.com/tarebench/tare/internal/record"
)

// search has the trials that are ready search for their capacities. One that finds none has its outcome afterwards.
func (r *round) search(ctx context.Context) {
	ready := r.ready()
	if len(ready) == 0 || ready[0].Experiment.Load.Find == nil {
		return
	}
	rates := map[*trial]float64{}
	for _, t := range ready {
		t.search = newSearch(t, t.job())
		rates[t] = 0
	}
	find := ready[0].search.find
	closed := r.take(ctx, record.StepClosed, rates, ready[0].Experiment.Protocol.Warmup.Std())
	searches := make(capacity.Together, len(ready))
	for i, t := range ready {
		switch throughput := closed[t].seen.Throughput(); {
		case t.outcome != "":
		case throughput == 0:
			t.outcome, t.reason = record.Starved, record.NothingCommitted.Say(fmt.Sprintf("%.0f", closed[t].seen.Seconds))
		default:
			searches[i] = capacity.New(t.search.first(throughput), float64(find.Within))
		}
	}
	for next, more := searches.Next(); more; next, more = searches.Next() {
		clear(rates)
		for i, t := range ready {
			if next[i] > 0 {
				rates[t] = next[i]
			}
		}
		taken := r.take(ctx, record.StepSearch, rates, find.Settle())
		for i, t := range ready {
			switch {
			case t.outcome != "":
				searches[i] = nil
			case taken[t] != nil:
				searches[i].Answer(taken[t].seen.Kept)
			}
		}
	}
	var ended []*trial
	for i, t := range ready {
		if searches[i] != nil {
			if outcome, reason := t.search.conclude(searches[i].Result()); outcome != record.Measured {
				t.outcome, t.reason = outcome, reason
			}
		}
		if t.outcome != "" {
			ended = append(ended, t)
		}
	}
	r.conclude(ctx, ended)
}

// takenStep is a step of one trial, and how its load ended.
type takenStep struct {
	trial   *trial
	seen    *record.Step
	outcome record.Outcome
	reason  string
	err     error
}

// take has trials take a step at the rates, 0 for a closed loop. A trial whose server was lost, or whose load failed,
// has its outcome afterwards; by an overload, servers may be lost.
func (r *round) take(ctx context.Context, purpose string, rates map[*trial]float64, settle time.Duration) map[*trial]*takenStep {
	turning, ready, taken := make([]*trial, r.schedule.Cells), []*trial(nil), map[*trial]*takenStep{}
	for _, t := range r.trials {
		if _, ok := rates[t]; ok {
			turning[t.plan.Slot-1] = t
			ready = append(ready, t)
			taken[t] = &takenStep{trial: t}
		}
	}
	if len(ready) == 0 {
		return taken
	}
	first := ready[0]
	schedule := first.Plan.SearchTurns(first.Experiment, first.plan.Round, len(first.search.steps)+1, settle)
	r.inTurns(ctx, schedule, purpose != record.StepClosed, turning, ready, func(t *trial, begin *start) {
		s, of := taken[t], turns{begin: begin, schedule: schedule, cell: t.plan.Slot - 1}
		step, job := t.search.prepare(purpose, rates[t], settle)
		s.seen = step
		s.outcome, s.reason, s.err = t.inTurns(ctx, of, phaseOf(purpose), job, func(l record.Line) error { return t.search.take(step, l) })
	})
	var all sync.WaitGroup
	for _, s := range taken {
		all.Go(func() { s.end(ctx) })
	}
	all.Wait()
	return taken
}

// end ends the watch over the server's life and writes the step down.
func (s *takenStep) end(ctx context.Context) {
	t := s.trial
	overload := s.seen.Purpose == record.StepBeyond
	outcome, reason, err := t.survived(ctx, s.outcome, s.reason, s.err)
	if outcome == record.ServerLost {
		s.seen.Lost = strings.TrimPrefix(reason, errLost.Error()+": ")
	}
	err = errors.Join(err, t.search.note(s.seen, outcome))
	switch {
	case err != nil && overload:
		t.outcome, t.reason = failed(record.AtOverload, err)
	case err != nil:
		t.outcome, t.reason = failed(record.AtLoad, err)
	case overload:
	case outcome == record.ServerLost || outcome != record.Measured && s.seen.Purpose == record.StepClosed:
		t.outcome, t.reason = outcome, reason
	case outcome == record.Failed:
		t.outcome, t.reason = outcome, reason
	}
}

// overload offers more than the capacity to the trials that were measured: a server that dies of it takes nothing
// from its trial.
func (r *round) overload(ctx context.Context) {
	rates, settle := map[*trial]float64{}, time.Duration(0)
	for _, t := range r.trials {
		if t.outcome == record.Measured && t.search != nil && t.search.find.Beyond > 0 {
			rates[t], settle = t.search.found.Rate*float64(t.search.find.Beyond), t.search.find.Settle()
		}
	}
	if ctx.Err() == nil {
		r.take(ctx, record.StepBeyond, rates, settle)
	}
}
