package runner

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// limited is an engine whose server keeps 5 ms up to a rate, unless it always takes longer, and kills itself above
// another. No time passes.
type limited struct {
	loadgen.Engine
	always           float64 // ms
	capacity, deadly float64
	died             *atomic.Bool
	arrivals         *[]uint64 // of the loads so far
}

func (limited) Name() string                                          { return "tare" }
func (limited) Verifies(loadgen.Job) bool                             { return false }
func (limited) Prepare(context.Context, loadgen.Job, io.Writer) error { return nil }
func (limited) Verify(context.Context, loadgen.Job) error             { return nil }
func (limited) Check(context.Context, loadgen.Job) []error            { return nil }
func (limited) Cleanup(context.Context, loadgen.Job, io.Writer) error { return nil }

func (l limited) Run(ctx context.Context, j loadgen.Job, emit func(record.Line) error) (record.Outcome, string, error) {
	*l.arrivals = append(*l.arrivals, j.Arrivals)
	if j.Rate >= l.deadly {
		l.died.Store(true)
		<-ctx.Done()
		return record.Failed, "cut off", context.Cause(ctx)
	}
	ms, rate := max(5, l.always), j.Rate
	if rate == 0 || rate > l.capacity {
		ms, rate = 500, l.capacity
	}
	n := int64(rate * j.Measure.Seconds())
	lines := []record.Line{
		{Metric: &record.Metric{Name: "tps"}},
		{Interval: &record.Interval{End: j.Warmup.Seconds(), Length: j.Warmup.Seconds(), Warmup: true, Transactions: rate}},
		{Interval: &record.Interval{End: (j.Warmup + j.Measure).Seconds(), Length: j.Measure.Seconds(), Transactions: rate}},
		{Fact: &record.Fact{Key: "load.arrivals_due", Value: strconv.Itoa(int(j.Rate * j.Measure.Seconds()))}},
		{Window: &record.Window{Seconds: j.Measure.Seconds(), Counts: record.Counts{Transactions: n},
			Latency: &record.Latency{Mean: ms, Histogram: &record.Histogram{Scheme: "hdr-3", Counts: [][2]int64{{int64(ms * 1e6), n}}}}}},
	}
	for _, line := range lines {
		if err := emit(line); err != nil {
			return record.Failed, err.Error(), err
		}
	}
	return record.Measured, "", nil
}

// mortal is a mute server that ends when the engine says so.
type mortal struct {
	mute
	died *atomic.Bool
}

func (m *mortal) Alive() error {
	if m.died.Load() {
		return errors.New("mysqld has ended: signal: killed")
	}
	return nil
}

// searching is a trial whose experiment searches for the capacity.
func searching(t *testing.T, find string, engine limited) *trial {
	t.Helper()
	place := &fake{}
	j := job(t, place)
	e, err := experiment.Parse("x.yaml", []byte(strings.Replace(spec, "protocol:", "load: {threads: 4, find: "+find+"}\nprotocol:", 1)))
	if err != nil {
		t.Fatal(err)
	}
	engine.died = &atomic.Bool{}
	if engine.arrivals == nil {
		engine.arrivals = &[]uint64{}
	}
	j.Experiment, j.Plan, j.Engine = e, experiment.NewPlan(e), engine
	tr := &trial{Job: j, plan: j.Plan.Trials[0], started: time.Now(), instance: &instance{}, server: &mortal{mute{place: place}, engine.died}}
	if err := tr.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.log.Close() })
	return tr
}

// read closes the trial's stream and reads it back.
func read(t *testing.T, tr *trial) *record.Trial {
	t.Helper()
	if err := tr.stream.Close(record.End{Outcome: record.Measured}); err != nil {
		t.Fatal(err)
	}
	got, err := record.OpenTrial(record.TrialDir(tr.Dir, tr.plan))
	if err != nil || got.Incomplete != "" {
		t.Fatal(err, got.Incomplete)
	}
	return got
}

// TestSearchFindsTheCapacity: the record has every step, the window is at the capacity,
// its series goes on from the search, and a server that dies of the overload takes nothing
// from it.
func TestSearchFindsTheCapacity(t *testing.T) {
	t.Parallel()
	tr := searching(t, "{p99: 20ms, within: 5%, step: 10s}", limited{capacity: 500, deadly: 700})
	outcome, reason, err := tr.loaded(context.Background())
	if outcome != record.Measured || err != nil {
		t.Fatal(outcome, reason, err)
	}
	if outcome, reason := tr.overload(context.Background()); outcome != record.Measured {
		t.Fatal(outcome, reason)
	}
	got := read(t, tr)
	c := got.Window.Capacity
	if c == nil || math.Abs(math.Log(c.Rate/500)) > math.Log(1.05) || c.Low > 500 || c.High < 500 || c.Percentile != 99 || c.Limit != 20 {
		t.Fatalf("%+v", c)
	}
	if got.Throughput() != c.Rate || math.Abs(got.Window.Completed()-math.Min(c.Rate, 500)) > 1 {
		t.Errorf("throughput %g, completed %g", got.Throughput(), got.Window.Completed())
	}
	first, last := got.Steps[0], got.Steps[len(got.Steps)-1]
	if first.Purpose != record.StepClosed || first.Rate != 0 || first.Throughput() != 500 || first.Kept {
		t.Errorf("%+v", first)
	}
	if last.Purpose != record.StepBeyond || !strings.Contains(last.Lost, "killed") || math.Abs(last.Rate-1.5*c.Rate) > 1e-9 {
		t.Errorf("%+v", last)
	}
	for _, s := range got.Steps[1 : len(got.Steps)-1] {
		if s.Purpose != record.StepSearch || s.Kept != (s.Rate <= 500) || s.Due == 0 {
			t.Errorf("%+v", s)
		}
	}
	at, windows := 0.0, 0
	for _, i := range got.Intervals {
		if i.End < at {
			t.Errorf("the series goes back from %g to %g", at, i.End)
		}
		if at = i.End; !i.Warmup {
			windows++
		}
	}
	if windows != 1 || len(got.Metrics) != 1 {
		t.Errorf("%d intervals are the window's, %d metrics", windows, len(got.Metrics))
	}
}

// TestSearchDrawsArrivals: every step of a search has arrivals of its own, and so does its
// window; the arms of a round have the same, and no other round has any of them.
// TestStallAtTheEndOfAStep: what is unanswered at the end of a step may be what became due within the
// limit, and not all that the connections can hold.
func TestStallAtTheEndOfAStep(t *testing.T) {
	tr := searching(t, "{p99: 20ms}", limited{})
	tr.Experiment.Load.Find.Limit = experiment.Duration(20 * time.Millisecond)
	job := tr.Job.Load(64)
	s := newSearch(tr, job)
	for missed, want := range map[int64]bool{0: true, 9: true, 64: false} {
		step := record.Step{Rate: 50, Due: 500, Counts: record.Counts{Transactions: 500 - missed}, Latency: 5}
		if got := s.kept(step); got != want {
			t.Errorf("%d of 500 unanswered: kept is %v", missed, got)
		}
	}
	if step := (record.Step{Rate: 100000, Due: 1000000, Counts: record.Counts{Transactions: 1000000 - 10064}, Latency: 5}); !s.kept(step) {
		t.Error("all connections may be busy at a rate at which that many become due within the limit")
	}
}

func TestSearchDrawsArrivals(t *testing.T) {
	t.Parallel()
	of := func(round, number int) []uint64 {
		var arrivals []uint64
		tr := searching(t, "{p99: 20ms, within: 5%, step: 10s, beyond: none}", limited{capacity: 500, deadly: math.Inf(1), arrivals: &arrivals})
		tr.plan.Round, tr.plan.Number = round, number
		if outcome, reason, err := tr.loaded(context.Background()); outcome != record.Measured || err != nil {
			t.Fatal(outcome, reason, err)
		}
		return arrivals
	}
	first, arm, next := of(1, 1), of(1, 2), of(2, 3)
	seen := map[uint64]bool{}
	for _, n := range append(slices.Clone(first), next...) {
		if seen[n] {
			t.Errorf("arrivals %d twice", n)
		}
		seen[n] = true
	}
	for i := range min(len(first), len(arm)) {
		if first[i] != arm[i] {
			t.Errorf("load %d has arrivals %d in one arm and %d in another", i, first[i], arm[i])
		}
	}
	if len(first) < 4 {
		t.Errorf("%d loads", len(first))
	}
}

// TestSearchWithoutCapacity: a server that keeps the limit at no rate starves, and a
// search whose step kills the server ends.
func TestSearchWithoutCapacity(t *testing.T) {
	t.Parallel()
	tr := searching(t, "{p99: 1ms, step: 10s, beyond: none}", limited{capacity: 500, deadly: math.Inf(1)})
	if outcome, reason, err := tr.loaded(context.Background()); outcome != record.Starved || err != nil || !strings.Contains(reason, "no capacity: p99 <= 1ms was missed at every rate down to ") {
		t.Error(outcome, reason, err)
	}
	tr = searching(t, "{p99: 20ms, step: 10s}", limited{capacity: 500, deadly: 400})
	outcome, reason, err := tr.load(context.Background())
	if outcome != record.ServerLost || err != nil || !strings.Contains(reason, "killed") {
		t.Error(outcome, reason, err)
	}
	if s := read(t, tr).Steps; len(s) == 0 || !strings.Contains(s[len(s)-1].Lost, "killed") {
		t.Errorf("%+v", s)
	}
}
