package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

const spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: 2, warmup: 0s, measure: 1s, ready: 1s}
baseline: a
arms:
  a: {target: fake}
  b: {target: fake}
`

// fake is a place whose servers go wrong in ways that a real one cannot be made
// to on demand: they never answer, or cannot be started. Runs that go well are
// tested with a real MySQL in cmd/tare.
type fake struct {
	refuse  error
	started int
	stopped int
}

func (f *fake) Data() target.Data                 { return target.Files }
func (f *fake) Capabilities() target.Capabilities { return target.Capabilities{} }
func (f *fake) Check(context.Context) []error     { return nil }
func (f *fake) Start(_ context.Context, r target.Request) (target.Server, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	f.started++
	return &mute{place: f, address: mysqld.Address{Socket: filepath.Join(r.RunDir, "none.sock"), User: "root"}}, nil
}

type mute struct {
	place   *fake
	address mysqld.Address
}

func (m *mute) Address() mysqld.Address                                 { return m.address }
func (m *mute) Exec(context.Context, target.Side, target.Command) error { return nil }
func (m *mute) Capabilities() target.ServerCapabilities                 { return target.ServerCapabilities{} }
func (m *mute) Alive() error                                            { return nil }
func (m *mute) Facts(_ context.Context, phase string) []record.Fact {
	return []record.Fact{{Key: "fake." + phase, Value: "1"}}
}
func (m *mute) Stop(context.Context) error { m.place.stopped++; return nil }

// job is a run whose data has been prepared.
func job(t *testing.T, place target.Target) Job {
	t.Helper()
	e, err := experiment.Parse("x.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := loadgen.New("sysbench", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	j := Job{
		Dir: filepath.Join(dir, "run"), Experiment: e, Plan: experiment.NewPlan(e), Engine: engine,
		Targets: map[string]target.Target{"a": place, "b": place}, Version: "test",
		State:   State{Dir: filepath.Join(dir, "state"), RunDir: filepath.Join(dir, "tare-run")},
		Observe: func(Progress) {},
	}
	m, err := j.manifest()
	if err != nil {
		t.Fatal(err)
	}
	prepared := filepath.Join(j.State.Dir, "data", m.key())
	if err := os.MkdirAll(filepath.Join(prepared, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	none, err := checksum(filepath.Join(prepared, "data"), hashOf)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(prepared, checksumFile), []byte(none), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	return j
}

// TestNotReadyIsAnOutcome: a server that never answers is a result of its arm,
// recorded with what the target shows, and the run goes on to its end.
func TestNotReadyIsAnOutcome(t *testing.T) {
	place := &fake{}
	j := job(t, place)
	if err := Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != 4 || place.started != 4 || place.stopped != 4 {
		t.Fatalf("%d trials, %d started, %d stopped", len(run.Trials), place.started, place.stopped)
	}
	for _, trial := range run.Trials {
		if trial.Incomplete != "" || trial.End.Outcome != record.NotReady {
			t.Errorf("trial %d: %q %+v", trial.Header.Trial, trial.Incomplete, trial.End)
		}
		if !slices.ContainsFunc(trial.Facts, func(f record.Fact) bool { return f.Key == "fake.end" && f.Phase == "end" }) {
			t.Errorf("trial %d: no evidence: %+v", trial.Header.Trial, trial.Facts)
		}
	}
	if left, err := j.State.Instances(); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	// A second run finds everything done: an outcome is not tried again.
	if err := Run(context.Background(), j); err != nil || place.started != 4 {
		t.Errorf("%d started, %v", place.started, err)
	}
}

// TestFailuresEndTheRun: what fails three times in a row is not tried for hours;
// what failed is done again on resume, because it says nothing about the arm.
func TestFailuresEndTheRun(t *testing.T) {
	place := &fake{refuse: errors.New("no runc")}
	j := job(t, place)
	err := Run(context.Background(), j)
	if err == nil || !strings.Contains(err.Error(), "3 trials failed in a row") || !strings.Contains(err.Error(), "no runc") {
		t.Fatalf("error = %v", err)
	}
	place.refuse = nil
	if err := Run(context.Background(), j); err != nil || place.started != 4 {
		t.Errorf("resume: %d started, %v", place.started, err)
	}
}

// TestHopelessEndsTheRun: a server that its settings keep from starting is not tried three times.
func TestHopelessEndsTheRun(t *testing.T) {
	err := Run(context.Background(), job(t, &fake{refuse: target.Hopeless{Err: errors.New("no node has this name")}}))
	if !errors.As(err, &HopelessError{}) || !strings.HasPrefix(err.Error(), "trial 1 (") || !strings.Contains(err.Error(), "no node has this name") {
		t.Errorf("error = %v", err)
	}
}

// TestEndedByTheArm: a server that a probe of its pod or its memory limit ended before it was ready is a result, which a
// resumed run does not measure again.
func TestEndedByTheArm(t *testing.T) {
	for _, cause := range []error{target.ErrProbe, target.ErrKilled} {
		place := &fake{refuse: record.StartPod.Wrap(record.DiedBeforeReady.Error(cause, "why"))}
		j := job(t, place)
		if err := Run(context.Background(), j); err != nil {
			t.Fatal(err)
		}
		run, err := record.Open(j.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range run.Trials {
			if trial.End.Outcome != record.NotReady || trial.End.Reason != "start pod: server died before it was ready: why" {
				t.Errorf("%s, %s", trial.End.Outcome, trial.End.Reason)
			}
		}
		place.refuse = nil
		if err := Run(context.Background(), j); err != nil || place.started != 0 {
			t.Errorf("resume: %d started, %v", place.started, err)
		}
	}
}

// TestHopelessIsSaidOnce: a reason that all arms of a round have is one sentence, though their objects have names of their own;
// another reason is another one.
func TestHopelessIsSaidOnce(t *testing.T) {
	var f failures
	group := []experiment.Trial{{Number: 1, Arm: "a"}, {Number: 2, Arm: "b"}, {Number: 3, Arm: "c"}, {Number: 4, Arm: "d"}}
	because := func(why string) record.End { return record.End{Outcome: record.Failed, Hopeless: true, Reason: why} }
	err := f.count(group, []record.End{{Outcome: record.Measured}, because("pod tare-0a1b2c3d-0: no class"), because("pod tare-11111111-0: no class"), because("no node")})
	if want := "trial 2 (b) failed, and each other attempt would: pod tare-0a1b2c3d-0: no class\ntrial 4 (d) failed, and each other attempt would: no node"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestSharedServerFailsOnce: the levels of the load of one arm share a server.
func TestSharedServerFailsOnce(t *testing.T) {
	var f failures
	group := []experiment.Trial{{Arm: "a", Threads: 8}, {Arm: "b", Threads: 8}, {Arm: "b", Threads: 32}, {Arm: "b", Threads: 64}}
	ends := []record.End{{Outcome: record.Measured}, {Outcome: record.Failed}, {Outcome: record.Failed}, {Outcome: record.Failed}}
	if err := f.count(group, ends); err != nil || f.all != 3 || f.inRow != 1 {
		t.Errorf("%v, %+v", err, f)
	}
	apart := []experiment.Trial{{Arm: "a"}, {Arm: "c", Again: true}, {Arm: "d"}}
	if err := f.count(apart, ends[1:]); err == nil || f.inRow != maxFailures {
		t.Errorf("%v, %+v", err, f)
	}
}

// TestOneArmFailsAgain: an arm that fails twice for the same reason ends the run, whatever the others do between.
func TestOneArmFailsAgain(t *testing.T) {
	group := []experiment.Trial{{Arm: "a"}, {Arm: "b"}}
	round := func(why string) []record.End {
		if why == "" {
			return []record.End{{Outcome: record.Measured}, {Outcome: record.Measured}}
		}
		return []record.End{{Outcome: record.Measured}, {Outcome: record.Failed, Reason: why}}
	}
	for want, rounds := range map[int][]string{
		2: {"no node", "no node", "no node"},
		0: {"no node", "", "no node", "no network", "no node"},
	} {
		var f failures
		ended := 0
		for i, why := range rounds {
			if err := f.count(group, round(why)); err != nil && ended == 0 {
				ended = i + 1
			}
		}
		if ended != want {
			t.Errorf("%q: ended after round %d, want %d", rounds, ended, want)
		}
	}
}

// TestCancelledTrialDoesNotCount: it has no end, so that resume does it again,
// and its server has been stopped.
func TestCancelledTrialDoesNotCount(t *testing.T) {
	place := &fake{}
	j := job(t, place)
	ctx, cancel := context.WithCancel(context.Background())
	j.Observe = func(p Progress) {
		if p.Phase == "wait for the first answer" {
			cancel()
		}
	}
	if err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatalf("error = %v", err)
	}
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != 1 || run.Trials[0].Incomplete == "" || place.stopped != 1 {
		t.Errorf("%+v, %d stopped", run.Trials, place.stopped)
	}
}

// TestOneRunAtATime: two would measure each other.
func TestOneRunAtATime(t *testing.T) {
	j := job(t, &fake{})
	unlock, err := j.State.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := Run(context.Background(), j); err == nil || !strings.Contains(err.Error(), "another tare is measuring") ||
		!strings.Contains(err.Error(), fmt.Sprintf("another process holds the lock: process %d (%s", os.Getpid(), os.Args[0][:1])) {
		t.Errorf("error = %v", err)
	}
}

// TestDirectoryOfTheUsersChoice: the state remembers it, for clean.
func TestDirectoryOfTheUsersChoice(t *testing.T) {
	s := State{Dir: filepath.Join(t.TempDir(), "state"), RunDir: "/run/tare"}
	disk := t.TempDir()
	there, err := s.At(disk)
	if err != nil || there.Dir != filepath.Join(disk, "tare-state") {
		t.Fatal(there, err)
	}
	all, err := s.All()
	if err != nil || len(all) != 2 || all[1].Dir != there.Dir {
		t.Errorf("%v, %v", all, err)
	}
	if same, err := s.At(""); err != nil || same != s {
		t.Errorf("%v, %v", same, err)
	}
}

// TestScriptIsKnownByItsText: a Lua script that was changed makes other data, and does not go on with
// a run that another text was planned for.
func TestScriptIsKnownByItsText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "own.lua")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	j := job(t, &fake{})
	j.Experiment.Load.Workload, j.Experiment.Script = name, &experiment.Text{Name: name, Text: []byte("one")}
	before, err := j.manifest()
	if err != nil || j.sameScript() != nil {
		t.Fatal(err, j.sameScript())
	}
	write("two")
	if err := j.sameScript(); err == nil || !strings.Contains(err.Error(), "is not the one that the run was planned with") {
		t.Errorf("a changed script: %v", err)
	}
	if err := Run(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is not the one that the run was planned with") {
		t.Errorf("a run with a changed script: %v", err)
	}
	j.Experiment.Script.Text = []byte("two")
	if after, err := j.manifest(); err != nil || after.key() == before.key() {
		t.Errorf("another script has the data of the first: %v", err)
	}
}
