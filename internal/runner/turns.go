package runner

// This file is one trial's part of a round whose trials take turns.

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// How long before the common start all are ready: long enough to freeze the servers,
// and for generators elsewhere, which learn of it then, to connect.
const (
	startHead     = 200 * time.Millisecond
	generatorHead = 5 * time.Second
	freezeHead    = 100 * time.Millisecond
)

// tripsToTell are the round trips in which generators elsewhere are told: a connection with TLS, two statements, and as many
// again for a path that is slower by then.
const tripsToTell = 20

// start is the moment at which a round's first turn begins: a while after the last
// trial is ready.
type start struct {
	head    time.Duration
	clocks  *barrier.Clocks // that keep the turns
	mu      sync.Mutex
	waiting int
	known   chan struct{}
	at      time.Time
}

func newStart(ready []*trial) *start {
	s := &start{head: startHead, clocks: barrier.NewClocks(), waiting: len(ready), known: make(chan struct{})}
	for _, t := range ready {
		if t.distributed() {
			s.head = generatorHead
		}
		if follow := t.server.Capabilities().Follow; follow != nil {
			s.head = max(s.head, follow.Head)
		}
	}
	return s
}

// arrived is called once by every trial, also by one that will not take part.
func (s *start) arrived() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting--; s.waiting == 0 {
		s.at = time.Now().Add(s.head + tripsToTell*s.clocks.Slowest())
		close(s.known)
	}
}

func (s *start) wait(ctx context.Context) (time.Time, error) {
	select {
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	case <-s.known:
		return s.at, nil
	}
}

// turns are those of one trial.
type turns struct {
	begin    *start
	schedule interleave.Schedule
	cell     int
	known    chan<- time.Time // gets the start; nil where nothing waits for it
}

// turnsOf are the turns that a neighbour of the trial's server follows: those of a server that is not frozen, with its
// neighbour, between them.
func (r *round) turnsOf(t *trial) *node.Turns {
	if r == nil || !r.schedule.Idle {
		return nil
	}
	return &node.Turns{Schedule: r.schedule, Cell: t.plan.Slot - 1}
}

// followed ends what follows the turns, and writes down what became of it.
func (t *trial) followed(ctx context.Context) error {
	follow := t.server.Capabilities().Follow
	if follow == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	facts, err := follow.End(ctx)
	return errors.Join(err, t.keep(facts, "end"))
}

// takeTurns offers the trial's load in its turns. What it came to is in t.outcome,
// t.reason and t.failure.
func (t *trial) takeTurns(ctx context.Context, begin *start) {
	known := make(chan time.Time, 1)
	defer close(known)
	of := turns{begin: begin, schedule: t.round.schedule, cell: t.plan.Slot - 1, known: known}
	if t.probes != nil {
		t.stopProbes = t.probes.runTurns(ctx, probe.Turns{Schedule: of.schedule, Cell: of.cell, Apart: t.round.apart(t), Begin: known})
	}
	job := t.job()
	if t.search != nil {
		job = t.search.atCapacity()
	}
	t.outcome, t.reason, t.failure = t.inTurns(ctx, of, LoadPhase, job, t.pass)
}

// inTurns offers a load in turns, and has the life of the server watched, in t.life, until that is concluded.
func (t *trial) inTurns(ctx context.Context, of turns, phase string, job loadgen.Job, pass func(record.Line) error) (record.Outcome, string, error) {
	once := sync.Once{}
	defer once.Do(of.begin.arrived) // it failed before
	job.Turns = &loadgen.Turns{Schedule: of.schedule, Cell: of.cell, Begin: func() (time.Time, error) {
		once.Do(of.begin.arrived)
		at, err := of.begin.wait(ctx)
		if err == nil && of.known != nil {
			of.known <- at
		}
		if follow := t.server.Capabilities().Follow; err == nil && follow != nil {
			err = follow.Begin(ctx, at, job.Control != nil)
		}
		return at, err
	}}
	if place, _ := t.place(t.plan); place.Capabilities().NeverFrozen && t.distributed() {
		own := t.server.Address()
		own.Schema = t.schemaOf(own)
		job.Control, job.Clocks = &own, of.begin.clocks
	} else {
		of.begin.clocks.Here()
	}
	watched, life := t.watchLife(ctx, 3*time.Duration(of.schedule.Cells)*of.schedule.Turn()) // it is off for most of a cycle
	t.life = life
	if err := t.phase(phase); err != nil {
		return "", "", err
	}
	limit := of.schedule.End() + generatorHead + 3*time.Minute
	bounded, cancel := context.WithTimeout(watched, limit)
	defer cancel()
	outcome, reason, err := t.send(bounded, job, pass)
	if bounded.Err() != nil && watched.Err() == nil {
		return overdue(limit, err)
	}
	return outcome, reason, err
}

// endWatch ends the watches of a trial whose load has ended. No server of the round is frozen meanwhile: one
// that is would count as hung.
func (t *trial) endWatch(ctx context.Context, s switches) {
	err := t.failure
	if t.stopProbes != nil {
		err = errors.Join(err, t.stopProbes())
	}
	err = errors.Join(err, t.keep(s.facts(), "end"))
	t.outcome, t.reason, t.failure = t.survived(ctx, t.outcome, t.reason, err)
}

// conclude reads what is read after the load, and decides the outcome of a trial whose watches have ended.
func (t *trial) conclude(ctx context.Context) {
	err := t.failure
	if t.stopProbes != nil {
		err = errors.Join(err, t.probes.conclude(ctx))
	}
	outcome, reason := t.outcome, t.reason
	if err == nil && outcome == record.Measured {
		err = t.followed(ctx)
	}
	if err == nil && outcome == record.Measured {
		outcome, reason, err = t.verified(ctx, t.job())
	}
	t.outcome, t.reason = t.finish(ctx, outcome, reason, err)
}

// runTurns is run for a trial that takes turns.
func (p *probes) runTurns(ctx context.Context, turns probe.Turns) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- p.watcher.RunTurns(ctx, turns, p.trial.write) }()
	return func() error {
		cancel()
		return <-done
	}
}

// switches are what became of a trial's turns.
type switches struct {
	// late is the longest time from a turn's beginning until its server was thawed.
	late time.Duration
	// awake counts the turns after which something of the server still ran while another's
	// load was counted, and asleep those in which something of it did not run.
	awake, asleep int
	freezable     bool
	idle          bool // by the plan
}

func (s switches) facts() []record.Fact {
	frozen := "yes"
	switch {
	case s.idle:
		frozen = "no: by the plan, the server only has no load between its turns"
	case !s.freezable:
		frozen = "no: this target's servers cannot be frozen; between its turns the server has no load"
	}
	return []record.Fact{
		{Key: keys.SlicesFrozen, Value: frozen, Source: "cgroup freezer, SIGSTOP"},
		{Key: keys.SlicesNotFrozen, Value: strconv.Itoa(s.awake), Source: "cgroup freezer, SIGSTOP"},
		{Key: keys.SlicesNotThawed, Value: strconv.Itoa(s.asleep), Source: "cgroup freezer, SIGCONT"},
		{Key: keys.SlicesLateMS, Value: fmt.Sprintf("%.3f", s.late.Seconds()*1000), Source: "tare"},
	}
}

// keepTurns freezes every server but the one that is on by a schedule, from shortly before the start
// until ctx ends or the schedule is over; then all are thawed. turning has the trials by their cells,
// nil where one takes no turns.
func (r *round) keepTurns(ctx context.Context, begin *start, schedule interleave.Schedule, turning []*trial) []switches {
	defer urgent()()
	kept := make([]switches, schedule.Cells)
	cells := make([]target.Server, schedule.Cells)
	for cell, t := range turning {
		if t == nil {
			continue
		}
		cells[cell] = t.server
		kept[cell].idle = r.schedule.Idle
		kept[cell].freezable = t.server != nil && t.server.Capabilities().Freeze != nil
	}
	defer r.thaw()
	at, err := begin.wait(ctx)
	if err != nil || !sleep(ctx, time.Until(at)-freezeHead) {
		return kept
	}
	for _, s := range cells {
		_ = r.freeze(s) // those that are slow to stop have stopped by the start
	}
	fault.At("turns: all are frozen")
	on := -1
	for k := range schedule.Turns() * schedule.Cells {
		turn := time.Duration(k) * schedule.Turn()
		began := at.Add(turn)
		if !sleepUntil(ctx, began) {
			return kept
		}
		next, _, _, _ := schedule.At(turn)
		another := on >= 0 && cells[on] != cells[next]
		stopping := (another || on >= 0 && schedule.Exact) && r.freeze(cells[on]) != nil
		if schedule.Exact {
			if turn += schedule.Guard; !sleepUntil(ctx, at.Add(turn)) {
				return kept
			}
		}
		if err := thaw(cells[next]); err != nil {
			kept[next].asleep++
		}
		kept[next].late = max(kept[next].late, time.Since(at.Add(turn)))
		fault.At("turns: another is on")
		if stopping && another && r.awake(ctx, cells[on], began) {
			kept[on].awake++
		}
		on = next
	}
	sleep(ctx, time.Until(at.Add(schedule.End())))
	return kept
}

// awake tells whether a server that did not stop at once still runs when the load of the turn
// that began is counted: until then a task that the kernel held for the disk has often come back.
func (r *round) awake(ctx context.Context, s target.Server, began time.Time) bool {
	counted := began.Add(r.schedule.Guard + r.schedule.LeadIn)
	return sleepUntil(ctx, counted.Add(-node.FreezePatience)) && r.freeze(s) != nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
