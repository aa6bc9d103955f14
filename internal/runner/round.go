package runner

// This file is a round whose trials take turns: all servers are up at once, and which
// of them is on is a pure function of time (package interleave).

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// round is the trials that take turns.
type round struct {
	schedule interleave.Schedule
	trials   []*trial
	speed    []record.Fact // the sentinel's, once for all
	gates    map[bool]*gateWatch
}

// owner is the trial that starts and stops the server of t: levels of the load share
// one.
func (r *round) owner(t *trial) *trial {
	for _, o := range r.trials {
		if o.plan.Arm == t.plan.Arm && o.plan.Again == t.plan.Again {
			return o
		}
	}
	return t
}

// lent says that the server of a trial is another's. A nil round lends none.
func (r *round) lent(t *trial) bool { return r != nil && r.owner(t) != t }

// apart says whether the server of a trial works outside of its turns too: levels of the load share it, or
// servers are not frozen.
func (r *round) apart(t *trial) bool {
	return r.schedule.Idle || slices.ContainsFunc(r.trials, func(o *trial) bool { return o != t && r.owner(o) == r.owner(t) })
}

// ended is the outcome that a trial has because the server that it shares did not become ready:
// that is an outcome of the arm at every level of the load. A failure is not one, and each trial
// reports its own.
func (r *round) ended(t *trial) (record.Outcome, string) {
	if !r.lent(t) {
		return "", ""
	}
	if o := r.owner(t); o.outcome != record.Failed {
		return o.outcome, o.reason
	}
	return "", ""
}

// borrow gives a trial the server of its owner, which has been started.
func (r *round) borrow(t *trial) error {
	o := r.owner(t)
	if o.server == nil || o.outcome != "" {
		return errors.New(record.SharedGone.Say(fmt.Sprint(o.plan.Number), o.reason))
	}
	t.instance, t.server = o.instance, o.server
	return thaw(t.server)
}

// sentinel is measured once for a round: its servers are there together.
func (r *round) sentinel(dir string) []record.Fact {
	if r == nil {
		return sentinel(dir)
	}
	if r.speed == nil {
		r.speed = sentinel(dir)
	}
	return append([]record.Fact(nil), r.speed...)
}

// instances are the names of all servers of the round.
func (r *round) instances() (names []string) {
	if r == nil {
		return nil
	}
	for _, t := range r.trials {
		if t.instance != nil {
			names = append(names, t.instance.Name)
		}
	}
	return names
}

// runRound measures the arms of a round together. The returned error means that a
// record could not be written or the run was cancelled.
func runRound(ctx context.Context, j Job, plan []experiment.Trial, source data) (ends []record.End, err error) {
	r := &round{schedule: j.Plan.Schedule(plan[0].Round)}
	for _, p := range plan {
		t := &trial{Job: j.Of(p.Arm), plan: p, source: source, started: time.Now(), round: r, others: math.NaN()}
		if err := t.open(); err != nil {
			return nil, errors.Join(err, r.abort())
		}
		r.trials = append(r.trials, t)
	}
	r.setUp(ctx)
	r.openGates()
	defer r.endGates()
	r.search(ctx)
	r.load(ctx)
	r.overload(ctx)
	return r.end(ctx, r.atRate(ctx))
}

// end takes down all servers and then closes all records: the time in which a part of them
// is closed is that of some writes, not of some servers' ends. A run that is killed in
// it measures the round again as a whole, so no trial is told as ended before. So is a round that is
// broken by an error.
func (r *round) end(ctx context.Context, broken error) (ends []record.End, err error) {
	r.takeDown()
	fault.At("round: servers are gone")
	if err := cmp.Or(ctx.Err(), broken); err != nil { // cut short: no end, so that it is done again
		return nil, errors.Join(err, r.abort())
	}
	for _, t := range r.trials {
		end, e := t.seal()
		ends, err = append(ends, end), errors.Join(err, e, t.log.Close())
		fault.At("round: a record is closed")
	}
	if err != nil {
		return ends, err
	}
	for _, t := range r.trials {
		t.tell()
	}
	return ends, nil
}

// takeDown takes down all servers. In reverse: a server that is shared is taken down after those who share it.
func (r *round) takeDown() {
	var all sync.WaitGroup
	defer all.Wait()
	together := r.schedule.Idle && r.elsewhere()
	for _, t := range slices.Backward(r.trials) {
		t.thaw() // it has been at rest while others ended
		if together && !r.lent(t) {
			all.Go(t.takeDown)
			continue
		}
		t.takeDown()
	}
}

// abort closes the records of trials without an end.
func (r *round) abort() (err error) {
	for _, t := range r.trials {
		err = errors.Join(err, t.stream.Abort(), t.log.Close())
	}
	return err
}

// setUp starts the servers, one after the other: each is frozen when it is ready, so
// that it takes nothing from the start of the next. Servers elsewhere that are not frozen start
// together: each would take from the next all the same.
func (r *round) setUp(ctx context.Context) {
	if r.schedule.Idle && r.elsewhere() {
		r.setUpTogether(ctx)
		return
	}
	for _, t := range r.trials {
		t.setUpIn(ctx)
		r.rest(t)
	}
}

// elsewhere says that no server runs on data of this machine's.
func (r *round) elsewhere() bool {
	return !slices.ContainsFunc(r.trials, func(t *trial) bool {
		place, _ := t.place(t.plan)
		return place.Data() == target.Files
	})
}

// setUpTogether starts all servers at once, after the sentinel and with all instances named: what one
// reads of the machine says which of its processes are the round's. Trials that share a server come after it.
func (r *round) setUpTogether(ctx context.Context) {
	var own, lent []*trial
	for _, t := range r.trials {
		if r.lent(t) {
			lent = append(lent, t)
			continue
		}
		if err := errors.Join(ctx.Err(), t.sentinel(), t.own()); err != nil {
			t.outcome, t.reason = failed(record.AtStart, err)
			continue
		}
		own = append(own, t)
	}
	var all sync.WaitGroup
	for _, t := range own {
		all.Go(func() { t.setUpIn(ctx) })
	}
	all.Wait()
	for _, t := range lent {
		t.setUpIn(ctx)
	}
}

// setUpIn takes the steps of a trial of a round before the load.
func (t *trial) setUpIn(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		t.outcome, t.reason = failed(record.AtStart, err)
		return
	}
	if t.outcome, t.reason = t.setUp(ctx); t.outcome != "" {
		return
	}
	if err := t.declare(ctx); err != nil {
		t.outcome, t.reason = failed(record.AtRecord, err)
	}
}

// rest freezes a server for as long as others start or end. Members of a replicated database that
// were frozen for so long would not know each other after it. One that cannot be frozen runs on:
// the load's own freezing is counted.
func (r *round) rest(t *trial) {
	if t.server != nil && t.server.Capabilities().MostFrozen > 0 {
		return
	}
	if err := r.freeze(t.server); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(t.log, "tare:", err)
	}
}

// declare writes what is known before the load.
func (t *trial) declare(ctx context.Context) error {
	if t.probes == nil {
		return nil
	}
	return t.probes.declare(ctx, t.job())
}

// load has the trials that are ready take turns, and decides their outcomes afterwards.
func (r *round) load(ctx context.Context) {
	ready := r.ready()
	if len(ready) == 0 {
		return
	}
	open := slices.ContainsFunc(ready, func(t *trial) bool { return t.search != nil || t.job().Rate > 0 })
	kept := r.inTurns(ctx, r.schedule, open, r.trials, ready, func(t *trial, begin *start) { t.takeTurns(ctx, begin) })
	for _, t := range ready {
		t.closeGates()
	}
	var all sync.WaitGroup
	for _, t := range ready {
		all.Go(func() { t.endWatch(ctx, kept[t.plan.Slot-1]) })
	}
	all.Wait()
	r.conclude(ctx, ready)
}

// inTurns calls turn for every trial that is ready, all at once, and keeps the turns of a schedule meanwhile: turning
// has the trials that are frozen and thawed by their cells, nil where one takes no turns. When it returns, everything
// is thawed.
func (r *round) inTurns(ctx context.Context, schedule interleave.Schedule, open bool, turning, ready []*trial, turn func(*trial, *start)) []switches {
	most := 0
	for _, t := range ready {
		most = max(most, t.plan.Threads)
	}
	defer loadgen.Reserve(most, open)()
	for _, t := range r.trials {
		if !slices.Contains(turning, t) {
			r.rest(t)
		}
	}
	for _, t := range turning { // perhaps with the server of one that takes none
		if t != nil {
			t.thaw()
		}
	}
	begin := newStart(ready)
	over, end := context.WithCancel(ctx)
	switched := make(chan []switches, 1)
	go func() { switched <- r.keepTurns(over, begin, schedule, turning) }()
	var all sync.WaitGroup
	for _, t := range ready {
		all.Go(func() { turn(t, begin) })
	}
	all.Wait()
	end()
	return <-switched
}

// conclude reads what is read once, after the load, from one server after the other, as before the
// load: the others are frozen, and their neighbours with them.
func (r *round) conclude(ctx context.Context, ready []*trial) {
	for _, t := range r.trials {
		r.rest(t)
	}
	for _, t := range ready {
		t.thaw()
		t.conclude(ctx)
		r.rest(t)
	}
}

// ready are the trials whose servers wait for load.
func (r *round) ready() (ready []*trial) {
	for _, t := range r.trials {
		if t.outcome == "" {
			ready = append(ready, t)
		}
	}
	return ready
}

func (r *round) thaw() {
	for _, t := range r.trials {
		t.thaw()
	}
}

func (t *trial) thaw() {
	if err := thaw(t.server); err != nil {
		fmt.Fprintln(t.log, "tare:", err)
	}
}

// freeze stops what a server runs, unless the experiment leaves it idle.
func (r *round) freeze(s target.Server) error {
	if s == nil || r.schedule.Idle || s.Capabilities().Freeze == nil {
		return nil
	}
	return s.Capabilities().Freeze()
}

func thaw(s target.Server) error {
	if s == nil || s.Capabilities().Thaw == nil {
		return nil
	}
	return s.Capabilities().Thaw()
}
