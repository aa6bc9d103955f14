package runner

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// pacedRun is a run of two arms whose latency is measured at a rate; of slices where lengths are given.
func pacedRun(t *testing.T, rate string, lengths *interleave.Slices) Job {
	t.Helper()
	j := job(t, &fake{})
	text := strings.Replace(slicedSpec, "load: {threads: [1, 2]}", "load: {threads: [1, 2], latency: {rate: "+rate+"}}", 1)
	e, err := experiment.Parse("x.yaml", []byte(strings.Replace(text, "rounds: 1", "rounds: 2", 1)))
	if err != nil {
		t.Fatal(err)
	}
	j.Experiment, j.Dir, j.Plan = e, filepath.Join(t.TempDir(), "run"), experiment.NewPlan(e)
	if lengths != nil {
		j.Plan = j.Plan.Interleave(e, experiment.Interleaving{Kind: experiment.KindSlices, Slices: lengths})
	}
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	j.Record, j.rate = record.NewReader(j.Dir, e), &fixedRate{}
	j.Engine = limited{capacity: 500, deadly: 1e9, died: &atomic.Bool{}, arrivals: &[]uint64{}}
	return j
}

// watched is a server of which only the process is watched: nothing answers queries.
type watched struct{ mortal }

func (watched) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Disturb: func(context.Context, <-chan time.Time, func(string, string)) error { return nil }}
}

// begun is a trial of a run whose server runs.
func begun(t *testing.T, j Job, p experiment.Trial, r *round) *trial {
	t.Helper()
	tr := &trial{Job: j, plan: p, started: time.Now(), round: r, instance: &instance{}, server: &watched{mortal{mute{place: &fake{}}, j.Engine.(limited).died}}}
	if err := tr.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.log.Close() })
	return tr
}

// planOf is the plan as it was saved.
func planOf(t *testing.T, j Job) experiment.Plan {
	t.Helper()
	run, err := record.Open(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return run.Plan
}

// TestRateIsThatOfTheSlowestArm: each arm counts with the level of the load at which it completes most,
// and an arm without a throughput does not count. The rate is saved before anything is measured at it, and
// whoever keeps the plan is told.
func TestRateIsThatOfTheSlowestArm(t *testing.T) {
	j := pacedRun(t, "60%", nil)
	var told experiment.Plan
	j.Replanned = func(p experiment.Plan) { told = p }
	trial := func(arm string, threads int) experiment.Trial { return experiment.Trial{Arm: arm, Threads: threads} }
	if err := j.fixRate([]completed{{trial("a", 1), 0}, {trial("b", 2), 0}}); err != nil || j.rate.perSecond != 0 {
		t.Errorf("%g/s without a throughput, %v", j.rate.perSecond, err)
	}
	done := []completed{{trial("a", 1), 100}, {trial("a", 2), 1000}, {trial("b", 1), 700}, {trial("b", 2), 500}}
	if err := j.fixRate(done); err != nil || j.rate.perSecond != 420 {
		t.Errorf("%g/s, %v", j.rate.perSecond, err)
	}
	if got := planOf(t, j); got.LatencyRate != 420 || told.LatencyRate != 420 {
		t.Errorf("saved %g/s, told %g/s", got.LatencyRate, told.LatencyRate)
	}
	if err := j.fixRate([]completed{{trial("a", 1), 10}}); err != nil || j.rate.perSecond != 420 {
		t.Errorf("fixed again: %g/s, %v", j.rate.perSecond, err)
	}
}

// TestRateWaitsForALostArm: an arm whose server was lost in the first round may be the slowest, so that the second round
// gives the rate; an arm without a throughput in that one either does not hold it up.
func TestRateWaitsForALostArm(t *testing.T) {
	round := func(n int, a, b float64) []completed {
		return []completed{{experiment.Trial{Arm: "a", Round: n, Threads: 2}, a}, {experiment.Trial{Arm: "b", Round: n, Threads: 2}, b}}
	}
	j := pacedRun(t, "60%", nil)
	if err := j.fixRate(round(1, 1000, 0)); err != nil || j.rate.perSecond != 0 {
		t.Errorf("%g/s from the arm that was not lost, %v", j.rate.perSecond, err)
	}
	if err := j.fixRate(round(2, 1000, 700)); err != nil || j.rate.perSecond != 420 {
		t.Errorf("%g/s, %v", j.rate.perSecond, err)
	}
	j = pacedRun(t, "60%", nil)
	if err := j.fixRate(round(2, 1000, 0)); err != nil || j.rate.perSecond != 600 {
		t.Errorf("%g/s with an arm that never has a throughput, %v", j.rate.perSecond, err)
	}
}

// TestRateOfRecord: with windows, a share is known when the first round is complete, a number before.
func TestRateOfRecord(t *testing.T) {
	j := pacedRun(t, "60%", nil)
	for _, p := range j.Plan.Trials[:4] {
		if err := j.rateOfRecord(); err != nil || j.rate.perSecond != 0 {
			t.Fatalf("%g/s before the first round is complete, %v", j.rate.perSecond, err)
		}
		tr := begun(t, j, p, nil)
		err := tr.write(record.Line{Window: &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 800}}})
		if tr.outcome = record.Measured; err == nil {
			_, err = tr.seal()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.rateOfRecord(); err != nil || j.rate.perSecond != 480 {
		t.Errorf("%g/s, %v", j.rate.perSecond, err)
	}
	number := pacedRun(t, "350/s", nil)
	if err := number.rateOfRecord(); err != nil || number.rate.perSecond != 350 {
		t.Errorf("%g/s, %v", number.rate.perSecond, err)
	}
}

// TestWindowAtTheRate: a trial of its own offers the rate after its closed loop, to the highest level of
// the load alone, and a server that is lost at it keeps the outcome of the trial.
func TestWindowAtTheRate(t *testing.T) {
	j := pacedRun(t, "350/s", nil)
	if err := j.rateOfRecord(); err != nil {
		t.Fatal(err)
	}
	for _, p := range j.Plan.Trials[:4] {
		tr := begun(t, j, p, nil)
		if err := tr.atRate(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := read(t, tr).AtRate
		if (got != nil) != (p.Threads == 2) {
			t.Errorf("%+v: %+v", p, got)
		}
		if got != nil && (got.Rate != 350 || got.Outcome != record.Measured || got.Counts.Transactions != 350 || got.Due != 350 || got.Latency == nil) {
			t.Errorf("%+v", got)
		}
	}
	j.Engine = limited{capacity: 500, deadly: 300, died: &atomic.Bool{}, arrivals: &[]uint64{}}
	for _, p := range j.Plan.Trials {
		if p.Threads == 2 && p.Round == 2 {
			tr := begun(t, j, p, nil)
			if err := tr.atRate(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got := read(t, tr).AtRate; got.Outcome != record.ServerLost || !strings.Contains(got.Reason, "killed") {
				t.Errorf("%+v", got)
			}
			return
		}
	}
}

// TestRoundAtTheRate: by slices, the rate follows from the closed loops of the round itself. An arm
// whose closed loop was not measured has no window at it.
func TestRoundAtTheRate(t *testing.T) {
	j := pacedRun(t, "60%", &interleave.Slices{Slice: time.Second, Cycles: 1})
	r := &round{schedule: j.Plan.Schedule(2)}
	for _, p := range j.Plan.Trials[4:8] {
		tr := begun(t, j, p, r)
		tr.outcome, tr.window = record.Measured, &record.Window{Seconds: 1, Counts: record.Counts{Transactions: 500}}
		if p.Arm == "b" {
			tr.outcome, tr.window = record.Starved, nil
		}
		r.trials = append(r.trials, tr)
	}
	if err := r.atRate(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, tr := range r.trials {
		got := read(t, tr).AtRate
		if (got != nil) != (tr.plan.Arm == "a" && tr.plan.Threads == 2) {
			t.Errorf("%+v: %+v", tr.plan, got)
		}
		if got != nil && (got.Rate != 300 || got.Outcome != record.Measured) {
			t.Errorf("%+v", got)
		}
	}
	if p := planOf(t, j); p.LatencyRate != 300 {
		t.Errorf("saved %g/s", p.LatencyRate)
	}
}
