// Package progress shows a run in progress: completed trials, the current step and what
// remains, on a terminal, as lines or JSON events, and for Prometheus.
//
// It shows the current trial's rate as a sign of life, never two arms side by
// side: a plan is fixed before the first trial, and looking at effects while a run
// is on invites stopping when they please.
package progress

import (
	"maps"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// state is what is known of a run under way. It holds the figures of the current
// trial alone: those of the trials before it are forgotten, so that no view can
// set arms side by side.
type state struct {
	name     string
	plan     experiment.Plan
	arms     []string
	levels   []int
	workload string
	warmup   time.Duration
	measure  time.Duration
	perTrial time.Duration // before one has been seen

	done   map[int]record.Outcome // by trial number
	void   map[int]bool           // trials of rounds that were set aside and wait
	voided int                    // rounds set aside so far
	gates  []record.Void          // rounds that something disturbed and that still stand
	took   []time.Duration        // trials of this process

	trial   experiment.Trial
	started time.Time // of the current trial or phase
	phase   string
	second  *record.Interval // the last one of the current trial
	rates   []float64        // its seconds

	transactions, errors, reconnects float64 // of all loads of this process
}

// newState plans nothing: perTrial is the caller's estimate.
func newState(job runner.Job, perTrial time.Duration, now time.Time) *state {
	e := job.Experiment
	return &state{
		name: e.Metadata.Name, plan: job.Plan, arms: e.Arms.Names(), levels: e.Load.Threads, workload: e.Load.Workload,
		warmup: e.Protocol.Warmup.Std(), measure: e.Protocol.Measure.Std(), perTrial: perTrial,
		done: map[int]record.Outcome{}, void: map[int]bool{}, started: now,
	}
}

// observe takes in what happened at now.
func (s *state) observe(p runner.Progress, now time.Time) {
	switch p.Kind {
	case runner.Began:
		s.done = maps.Clone(p.Complete)
		if s.done == nil {
			s.done = map[int]record.Outcome{}
		}
	case runner.Phase:
		s.phase = p.Phase
		if p.Trial != s.trial {
			s.trial, s.started, s.second, s.rates = p.Trial, now, nil, nil
		}
	case runner.Second:
		s.second, s.phase = p.Interval, "measure"
		if p.Interval.Warmup {
			s.phase = "warm up"
		}
		s.rates = append(s.rates, p.Interval.Transactions)
		s.transactions += p.Interval.Transactions * p.Interval.Length
		s.errors += p.Interval.Errors * p.Interval.Length
		s.reconnects += p.Interval.Reconnects * p.Interval.Length
	case runner.Ended:
		s.done[p.Trial.Number] = p.Outcome
		delete(s.void, p.Trial.Number)
		s.took = append(s.took, now.Sub(s.started))
		s.second, s.rates = nil, nil
	}
}

// setAside marks a round that will be run again.
func (s *state) setAside(v record.Void) {
	s.voided++
	s.gates = nil
	for _, t := range s.plan.Trials {
		if t.Round == v.Round {
			s.void[t.Number] = true
			delete(s.done, t.Number)
		}
	}
}

// roundsDone counts the rounds of which every trial is done.
func (s *state) roundsDone() int {
	open := map[int]bool{}
	for _, t := range s.plan.Trials {
		if _, ok := s.done[t.Number]; !ok {
			open[t.Round] = true
		}
	}
	return s.plan.Rounds - len(open)
}

// left is how long the rest should take, with the range from the shortest and the
// longest trial seen; lo and hi are 0 before three were.
func (s *state) left(now time.Time) (mid, lo, hi time.Duration) {
	each, shortest, longest := s.perTrial, time.Duration(0), time.Duration(0)
	if n := len(s.took); n > 0 {
		var sum time.Duration
		shortest, longest = s.took[0], s.took[0]
		for _, d := range s.took {
			sum += d
			shortest, longest = min(shortest, d), max(longest, d)
		}
		each = sum / time.Duration(n)
	}
	rest := time.Duration(len(s.plan.Trials) - len(s.done))
	spent := time.Duration(0)
	if s.trial.Number > 0 && s.done[s.trial.Number] == "" {
		spent = now.Sub(s.started)
	}
	of := func(d time.Duration) time.Duration { return max(0, rest*d-spent).Round(time.Second) }
	if len(s.took) < 3 {
		return of(each), 0, 0
	}
	return of(each), of(shortest), of(longest)
}
