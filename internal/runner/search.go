package runner

// This file is the search for the capacity of an arm, on the server of one trial: a closed
// loop, steps of an open loop at the rates that package capacity chooses, the window at the
// rate that was found, and an overload at the end. One trial gives one capacity, so that
// the unit of the comparison is a fresh server as it is for throughput.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/capacity"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// missedMost is a share of the transactions that fell due: a step that left more of them
// unanswered has not kept its limit, whatever the latency of the others.
const missedMost = 0.01

// firstRate is where a search begins, as a share of what the closed loop completes: an
// open loop reaches its limit of latency below that.
const firstRate = 0.7

// search is the search of one trial.
type search struct {
	trial *trial
	job   loadgen.Job
	find  experiment.Find
	began float64 // seconds of load before the present one
	end   float64 // the end of its last interval
	steps []record.Step
	found *record.Capacity

	declared map[string]bool
}

func newSearch(t *trial, job loadgen.Job) *search {
	return &search{trial: t, job: job, find: *t.Experiment.Load.Find, declared: map[string]bool{}}
}

// run searches. Measured without an error means that the capacity is known.
func (s *search) run(ctx context.Context) (record.Outcome, string, error) {
	closed, outcome, reason, err := s.step(ctx, record.StepClosed, 0, s.job.Warmup)
	if err != nil || outcome != record.Measured {
		return outcome, reason, err
	}
	c := capacity.New(s.first(closed.Throughput()), float64(s.find.Within))
	for {
		rate, more := c.Next()
		if !more {
			break
		}
		step, outcome, reason, err := s.step(ctx, record.StepSearch, rate, s.find.Settle())
		if err != nil || outcome == record.Failed {
			return outcome, reason, err
		}
		c.Answer(step.Kept)
	}
	outcome, reason = s.conclude(c.Result())
	return outcome, reason, nil
}

// first is the first rate. It is shifted by up to one resolution, by the seed, so that the
// grid of rates is another one in every trial and its spacing averages out.
func (s *search) first(throughput float64) float64 {
	e := s.trial.Experiment
	shift := rand.New(rand.NewPCG(e.Protocol.Seed, 1<<33+uint64(s.trial.plan.Number))).Float64()
	return throughput * firstRate * math.Pow(1+float64(s.find.Within), shift)
}

// conclude takes the rate that was found, 0 for none.
func (s *search) conclude(rate float64) (record.Outcome, string) {
	var steps []capacity.Step
	for _, step := range s.steps {
		if step.Purpose == record.StepSearch {
			steps = append(steps, capacity.Step{Rate: step.Rate, Kept: step.Kept})
		}
	}
	low, high := capacity.Between(steps)
	switch {
	case rate == 0 && low > 0:
		return record.Starved, record.LimitKept.Say(s.find.Name(), fmt.Sprintf("%.0f", low))
	case rate == 0:
		return record.Starved, record.LimitMissed.Say(s.find.Name(), fmt.Sprintf("%.3g", high))
	case math.IsInf(high, 0):
		high = 0
	}
	s.found = &record.Capacity{
		Rate: rate, Low: low, High: high, Percentile: s.find.Percentile, Limit: milliseconds(s.find.Limit.Std()), Within: float64(s.find.Within),
	}
	return record.Measured, ""
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// step offers one rate, 0 for a closed loop, and records what became of it.
func (s *search) step(ctx context.Context, purpose string, rate float64, settle time.Duration) (record.Step, record.Outcome, string, error) {
	step, job := s.prepare(purpose, rate, settle)
	if err := s.trial.phase(phaseOf(purpose)); err != nil {
		return *step, "", "", err
	}
	outcome, reason, err := s.trial.bounded(ctx, job, func(l record.Line) error { return s.take(step, l) })
	if cause := context.Cause(ctx); errors.Is(cause, errLost) {
		step.Lost = strings.TrimPrefix(firstLine(cause), errLost.Error()+": ")
	}
	return *step, outcome, reason, errors.Join(err, s.note(step, outcome))
}

// prepare is the next step with its load.
func (s *search) prepare(purpose string, rate float64, settle time.Duration) (*record.Step, loadgen.Job) {
	step := &record.Step{Number: len(s.steps) + 1, Purpose: purpose, Rate: rate, Percentile: s.find.Percentile}
	job := s.job
	job.Rate, job.Warmup, job.Measure = rate, settle, s.find.Step.Std()
	job.Arrivals = s.trial.arrivals(step.Number)
	s.began += s.end
	s.end = 0
	return step, job
}

// note writes down a step that has been taken.
func (s *search) note(step *record.Step, outcome record.Outcome) error {
	step.Kept = step.Purpose != record.StepClosed && outcome == record.Measured && step.Lost == "" && s.kept(*step)
	s.steps = append(s.steps, *step)
	return s.trial.write(record.Line{Step: step})
}

// Phases of a trial that searches for the capacity.
const (
	closedPhase   = "warm up"
	searchPhase   = "search for the capacity"
	overloadPhase = "overload"
)

func phaseOf(purpose string) string {
	switch purpose {
	case record.StepClosed:
		return closedPhase
	case record.StepBeyond:
		return overloadPhase
	}
	return searchPhase
}

// kept says whether the limit was kept: by the percentile of what was answered, with
// nothing left out that would have been slow.
//
// By slices only what no connection had become free for counts as left out: transactions that fall due in a slice end
// in other parts of the turns as well, and as many of them as of those that end in a slice fell due elsewhere.
func (s *search) kept(step record.Step) bool {
	missed := step.Due - step.Counts.Transactions
	if s.trial.round != nil {
		missed = 0
	}
	return step.Latency > 0 && step.Latency <= milliseconds(s.find.Limit.Std()) &&
		float64(max(missed, step.Unsent)) <= missedMost*float64(step.Due)+s.underWay(step.Rate)
}

// underWay are the transactions that can be unanswered at the end of a step and still keep the limit:
// those that became due within it, with three standard deviations of a Poisson count. No more than
// the connections can be: a stall at the end of a step would hide behind all of them.
func (s *search) underWay(rate float64) float64 {
	due := rate * s.find.Limit.Std().Seconds()
	return min(float64(s.job.Threads), math.Ceil(due+3*math.Sqrt(due)))
}

// take takes a line of a step: the series goes on as warm-up, the totals are the step's.
func (s *search) take(step *record.Step, l record.Line) error {
	switch {
	case l.Interval != nil:
		i := *l.Interval
		i.Warmup = true
		return s.trial.pass(record.Line{Interval: &i})
	case l.Metric != nil, l.Event != nil:
		return s.trial.pass(l)
	case l.Fact != nil:
		switch l.Fact.Key {
		case keys.LoadArrivalsDue:
			step.Due, _ = strconv.ParseInt(l.Fact.Value, 10, 64) // written by our own engine
		case keys.LoadArrivalsUnsent:
			step.Unsent, _ = strconv.ParseInt(l.Fact.Value, 10, 64)
		case keys.LoadInvalid:
			step.Generator = l.Fact.Value
		}
	case l.Window != nil:
		step.Seconds, step.Counts = l.Window.Seconds, l.Window.Counts
		if latency := l.Window.Latency; latency != nil && latency.Histogram != nil {
			ns, _ := latency.Histogram.Percentile(s.find.Percentile)
			step.Latency = float64(ns) / float64(time.Millisecond)
		}
	}
	return nil
}

// later is an interval with the time since the first load of the trial. A nil search has
// one load alone.
func (s *search) later(i *record.Interval) *record.Interval {
	if s == nil {
		return i
	}
	moved := *i
	s.end = max(s.end, i.End)
	moved.End += s.began
	return &moved
}

// declares remembers the metrics of the series, which every load declares again.
func (s *search) declares(m *record.Metric) bool {
	if s == nil {
		return false
	}
	again := s.declared[m.Name]
	s.declared[m.Name] = true
	return again
}

// complete writes what was found into the window.
func (s *search) complete(w *record.Window) {
	if s != nil {
		w.Capacity = s.found
	}
}

// atCapacity is the load of the window.
func (s *search) atCapacity() loadgen.Job {
	s.began += s.end
	s.end = 0
	job := s.job
	job.Rate, job.Warmup = s.found.Rate, s.find.Settle()
	job.Arrivals = s.trial.arrivals(len(s.steps) + 1)
	return job
}

// overload offers more than the capacity when all else has been read: a server that dies
// of it takes nothing from the trial.
func (t *trial) overload(ctx context.Context) (record.Outcome, string) {
	s := t.search
	if s.find.Beyond == 0 {
		return record.Measured, ""
	}
	watched, life := t.watchLife(ctx, 0)
	t.life = life
	_, _, _, err := s.step(watched, record.StepBeyond, s.found.Rate*float64(s.find.Beyond), s.find.Settle())
	if lost := life.conclude(ctx); lost != nil {
		err = t.write(record.Line{Event: &record.Event{At: time.Since(t.started), Name: string(record.ServerLost), Detail: lost.Error()}})
	}
	if err != nil && ctx.Err() == nil {
		return failed(record.AtOverload, err)
	}
	return record.Measured, ""
}
