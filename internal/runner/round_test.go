package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const slicedSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
load: {threads: [1, 2]}
protocol: {rounds: 1, warmup: 0s, measure: 1s, ready: 1s, aa: false}
baseline: a
arms:
  a: {target: fake}
  b: {target: fake}
`

// sliced is a run by slices of two arms at two levels of the load.
func sliced(t *testing.T, place target.Target) Job {
	t.Helper()
	j := job(t, place)
	e, err := experiment.Parse("x.yaml", []byte(slicedSpec))
	if err != nil {
		t.Fatal(err)
	}
	j.Experiment, j.Dir = e, filepath.Join(t.TempDir(), "run")
	j.Plan = experiment.NewPlan(e).Interleave(e, experiment.Interleaving{
		Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 1},
	})
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	j.Record = record.NewReader(j.Dir, e)
	return j
}

// TestNotReadyAtEveryLevel: a server that does not answer is a result of its arm at every level
// of the load that shares it, so that the round is complete.
func TestNotReadyAtEveryLevel(t *testing.T) {
	place := &fake{}
	j := sliced(t, place)
	if err := Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != 4 || place.started != 2 || place.stopped != 2 {
		t.Fatalf("%d trials, %d servers started, %d stopped", len(run.Trials), place.started, place.stopped)
	}
	for _, trial := range run.Trials {
		if trial.Incomplete != "" || trial.End.Outcome != record.NotReady || trial.End.Reason == "" {
			t.Errorf("trial %d: %q %+v", trial.Header.Trial, trial.Incomplete, trial.End)
		}
	}
	if err := Run(context.Background(), j); err != nil || place.started != 2 {
		t.Errorf("the round is measured again: %d servers started, %v", place.started, err)
	}
}

// TestResumedRoundIsReadAgain: a round of slices of which one trial failed is measured again as
// a whole, and what is decided afterwards is decided by what was measured last.
func TestResumedRoundIsReadAgain(t *testing.T) {
	j := sliced(t, &fake{})
	for i, p := range j.Plan.Trials {
		end := record.End{Outcome: record.Measured, Reason: "before"}
		if i == len(j.Plan.Trials)-1 {
			end.Outcome = record.Failed
		}
		s, err := record.CreateStream(record.TrialDir(j.Dir, p), record.Header{Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(end); err != nil {
			t.Fatal(err)
		}
	}
	if err := Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	run, err := j.Record.Read(j.Plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.End.Outcome != record.NotReady || trial.End.Reason == "before" {
			t.Errorf("trial %d is the one from before: %+v", trial.Header.Trial, trial.End)
		}
	}
}

// joining is a server of a replicated database.
type joining struct {
	mute
	joined int
}

func (j *joining) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Join: func(context.Context, time.Duration) error { j.joined++; return nil }}
}

// TestMembersJoinOnce: the levels of the load share a replicated database, whose members join
// once.
func TestMembersJoinOnce(t *testing.T) {
	j := sliced(t, &fake{})
	server := &joining{mute: mute{place: &fake{}}}
	r := &round{schedule: j.Plan.Schedule(1)}
	for _, p := range j.Plan.Trials {
		if p.Arm != "a" {
			continue
		}
		tr := &trial{Job: j, plan: p, server: server, started: time.Now(), round: r}
		if err := tr.open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.log.Close() })
		r.trials = append(r.trials, tr)
	}
	for _, tr := range r.trials {
		if err := tr.join(context.Background(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.trials) != 2 || server.joined != 1 {
		t.Errorf("%d levels, members joined %d times", len(r.trials), server.joined)
	}
}

// stubborn is a server that can be neither frozen nor thawed, on the ground that a test gives.
type stubborn struct {
	mute
	freeze, thaw error
}

func (s *stubborn) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Freeze: func() error { return s.freeze }, Thaw: func() error { return s.thaw }}
}

// TestFailedSwitchesAreCountedApart: a server that runs in others' turns and one that does not
// run in its own are different faults.
func TestFailedSwitchesAreCountedApart(t *testing.T) {
	j := sliced(t, &fake{})
	lengths := interleave.Slices{Slice: time.Millisecond, Cycles: 3}
	r := &round{schedule: interleave.Schedule{Slices: lengths, Cells: 2}}
	for i, server := range []*stubborn{{freeze: errors.New("busy")}, {thaw: errors.New("gone")}} {
		tr := &trial{Job: j, plan: experiment.Trial{Number: i + 1, Slot: i + 1, Arm: "a"}, server: server, started: time.Now(), round: r}
		if err := tr.open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.log.Close() })
		r.trials = append(r.trials, tr)
	}
	begin := newStart(r.trials)
	for range r.trials {
		begin.arrived()
	}
	kept := r.keepTurns(context.Background(), begin, r.schedule, r.trials)
	count := func(cell int, key string) string {
		for _, f := range kept[cell].facts() {
			if f.Key == key {
				return f.Value
			}
		}
		return "no fact"
	}
	// It is frozen where the turn that follows is the other's.
	var order []int
	for cycle := range lengths.Cycles {
		order = append(order, r.schedule.Order(cycle)...)
	}
	switched := 0
	for k, cell := range order[1:] {
		if order[k] == 0 && cell == 1 {
			switched++
		}
	}
	if n := count(0, "slices.not_frozen"); n != strconv.Itoa(switched) || switched == 0 {
		t.Errorf("not frozen: %s, want %d", n, switched)
	}
	if n := count(1, "slices.not_thawed"); n != "3" || count(0, "slices.not_thawed") != "0" || count(1, "slices.not_frozen") != "0" {
		t.Errorf("not thawed: %s; of the other %s, not frozen %s", n, count(0, "slices.not_thawed"), count(1, "slices.not_frozen"))
	}
}

// slow is a server that has not stopped yet when it is frozen for the first time in a turn.
type slow struct {
	mute
	running bool
	again   int
}

func (s *slow) Capabilities() target.ServerCapabilities {
	freeze := func() error {
		if s.running {
			s.running = false
			return node.ErrNotYetFrozen
		}
		s.again++
		return nil
	}
	return target.ServerCapabilities{Freeze: freeze, Thaw: func() error { s.running = true; return nil }}
}

// TestSlowFreezeIsNoFault: a server that stops before the next one's load is counted takes
// nothing from it.
func TestSlowFreezeIsNoFault(t *testing.T) {
	servers := []*slow{{}, {}}
	r := &round{schedule: interleave.Schedule{Slices: interleave.Slices{LeadIn: time.Millisecond, Slice: time.Millisecond, Cycles: 3}, Cells: 2}}
	for i, server := range servers {
		r.trials = append(r.trials, &trial{plan: experiment.Trial{Slot: i + 1}, server: server, round: r})
	}
	begin := newStart(r.trials)
	for range r.trials {
		begin.arrived()
	}
	for cell, kept := range r.keepTurns(context.Background(), begin, r.schedule, r.trials) {
		if kept.awake != 0 || servers[cell].again < 2 {
			t.Errorf("server %d: %d turns not frozen, frozen %d times in the end", cell, kept.awake, servers[cell].again)
		}
	}
}

// resting is a server that can be frozen. It counts the others that run while its facts are read.
type resting struct {
	mute
	all    []*resting
	frozen bool
	awake  int
	asked  int
}

func (s *resting) Capabilities() target.ServerCapabilities {
	switched := func(frozen bool) func() error { return func() error { s.frozen = frozen; return nil } }
	return target.ServerCapabilities{Freeze: switched(true), Thaw: switched(false)}
}

func (s *resting) Facts(context.Context, string) []record.Fact {
	s.asked++
	for _, o := range s.all {
		if o.frozen != (o != s) {
			s.awake++
		}
	}
	return nil
}

// TestOthersRestAfterTheLoad: what is read after the load is read while the other servers of the round, and
// so their neighbours, are frozen.
func TestOthersRestAfterTheLoad(t *testing.T) {
	j := sliced(t, &fake{})
	r := &round{schedule: j.Plan.Schedule(1)}
	var all []*resting
	for i := range 3 {
		all = append(all, &resting{mute: mute{place: &fake{}}})
		tr := &trial{Job: j, plan: experiment.Trial{Number: i + 1, Slot: i + 1, Arm: "a"}, server: all[i], started: time.Now(), round: r, failure: errors.New("no load")}
		if err := tr.open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.log.Close() })
		r.trials = append(r.trials, tr)
	}
	for _, s := range all {
		s.all = all
	}
	r.conclude(context.Background(), r.trials)
	for i, s := range all {
		if s.asked == 0 || s.awake > 0 || !s.frozen {
			t.Errorf("server %d: read %d times, beside %d that ran; frozen afterwards: %v", i, s.asked, s.awake, s.frozen)
		}
	}
}
