// Package progress shows a run in progress: completed trials, the current step and what
// remains, on a terminal, as lines or JSON events, and for Prometheus.
//
// It shows the current trial's rate as a sign of life, never two arms side by
// side: a plan is fixed before the first trial, and looking at effects while a run
// is on invites stopping when they please.
package progress

import (
	"maps"
	"math"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// state is what is known of a run under way. It holds the figures of the current
// trial alone: those of the trials before it are forgotten, so that no view can
// set arms side by side.
type state struct {
	name string
	plan experiment.Plan
	// mostOthers is the share of the machine's CPU time that others may use.
	mostOthers float64
	arms       []string
	levels     []int
	workload   string
	warmup     time.Duration
	measure    time.Duration
	perTrial   time.Duration // before one has been seen

	done   map[int]record.Outcome // by trial number
	void   map[int]bool           // trials of rounds that were set aside and wait
	voided int                    // rounds set aside so far
	gates  []record.Void          // rounds that something disturbed and that still stand
	others float64                // share of the machine's CPU time that others used in the last trial; NaN where unknown
	took   []time.Duration        // per trial, of each trial of this process, or of each round whose arms take turns

	trial   experiment.Trial
	started time.Time // of the current trial, round of turns, or phase
	ended   int       // trials of the current round of turns that have ended
	phase   string
	second  *record.Interval // the last one of the current trial, or the mean of the last turns
	rates   []float64        // its seconds, or the means of all turns
	turns   turns

	transactions, errors, reconnects float64 // of all loads of this process
}

// newState plans nothing: perTrial is the caller's estimate.
func newState(job runner.Job, perTrial time.Duration, now time.Time) *state {
	e := job.Experiment
	return &state{
		name: e.Metadata.Name, plan: job.Plan, mostOthers: e.Protocol.MostOthers(), arms: e.Arms.Names(), levels: e.Load.Threads, workload: e.Load.Name(),
		warmup: e.Protocol.Warmup.Std(), measure: e.Protocol.Measure.Std(), perTrial: perTrial,
		done: map[int]record.Outcome{}, void: map[int]bool{}, started: now, others: math.NaN(),
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
		if s.apart(p.Trial, s.trial) {
			s.started, s.second, s.rates, s.ended, s.turns = now, nil, nil, 0, turns{}
		}
		if p.Phase == runner.RatePhase { // which has no series
			s.second, s.rates, s.turns = nil, nil, turns{}
		}
		s.trial = p.Trial
	case runner.Second:
		s.phase = "measure"
		if p.Interval.Warmup {
			s.phase = "warm up"
		}
		if second := s.shown(*p.Interval); second != nil {
			s.second, s.rates = second, append(s.rates, second.Transactions)
		}
		s.transactions += p.Interval.Transactions * p.Interval.Length
		s.errors += p.Interval.Errors * p.Interval.Length
		s.reconnects += p.Interval.Reconnects * p.Interval.Length
	case runner.Ended:
		s.done[p.Trial.Number], s.others = p.Outcome, p.Others
		delete(s.void, p.Trial.Number)
		s.ended++
		s.second, s.rates = nil, nil
		if _, open := s.current(); open == 0 {
			s.took = append(s.took, now.Sub(s.started)/time.Duration(s.ended))
			s.ended = 0
		}
	}
}

// apart says whether two trials are measured one after the other. Those of a round that
// take turns are not.
func (s *state) apart(a, b experiment.Trial) bool {
	if s.plan.Sliced() && a.Number > 0 && b.Number > 0 {
		return a.Round != b.Round
	}
	return a != b
}

// current counts the trials that are measured now, with those of a round of turns that have
// ended, and how many have not.
func (s *state) current() (n, open int) {
	for _, t := range s.plan.Trials {
		if s.trial.Number > 0 && !s.apart(t, s.trial) && s.done[t.Number] == "" {
			open++
		}
	}
	return s.ended + open, open
}

// turns are the intervals of the arms' turns of one number.
type turns struct {
	number int
	sum    record.Interval
	n      float64
}

// shown is what may be shown of an interval. Of arms that take turns it is the mean over all
// of them, once their next turns begin: single turns beside each other would show the effect.
func (s *state) shown(i record.Interval) *record.Interval {
	if !s.plan.Sliced() {
		return &i
	}
	before := s.turns
	if i.Turn != before.number {
		s.turns = turns{number: i.Turn, sum: record.Interval{End: i.End, Warmup: i.Warmup}}
	}
	s.turns.n++
	s.turns.sum.Transactions += i.Transactions
	s.turns.sum.Errors += i.Errors
	if i.Turn == before.number || before.n == 0 {
		return nil
	}
	before.sum.Transactions /= before.n
	before.sum.Errors /= before.n
	return &before.sum
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
// longest trial seen, or round of turns; lo and hi are 0 before three were.
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
	n, open := s.current()
	rest := time.Duration(len(s.plan.Trials) - len(s.done) - open)
	of := func(d time.Duration) time.Duration {
		all := rest * d
		if open > 0 {
			all += max(0, time.Duration(n)*d-now.Sub(s.started))
		}
		return all.Round(time.Second)
	}
	if len(s.took) < 3 {
		return of(each), 0, 0
	}
	return of(each), of(shortest), of(longest)
}
