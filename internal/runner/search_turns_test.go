package runner

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// searchingRound is a round of slices whose arms, a and b, have servers of their own, with engines.
func searchingRound(t *testing.T, find string, engines map[string]limited) *round {
	t.Helper()
	j := job(t, &fake{})
	text := strings.Replace(slicedSpec, "load: {threads: [1, 2]}", "load: {threads: 4, find: "+find+"}", 1)
	e, err := experiment.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	j.Experiment, j.Dir = e, filepath.Join(t.TempDir(), "run")
	j.Plan = experiment.NewPlan(e).Interleave(e, experiment.Interleaving{
		Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 1, Exact: true},
	})
	if err := record.Create(j.Dir, e, j.Plan); err != nil {
		t.Fatal(err)
	}
	r := &round{schedule: j.Plan.Schedule(1)}
	for _, p := range j.Plan.Trials {
		engine := engines[p.Arm]
		engine.died, engine.arrivals = &atomic.Bool{}, &[]uint64{}
		j.Engine = engine
		r.trials = append(r.trials, begun(t, j, p, r))
	}
	return r
}

// TestSearchesSideBySide: the arms of a round take the steps of their searches together, each at its own rates. The
// steps that decide are the same ones, with the same arrivals, and the window is at the capacity of its arm.
func TestSearchesSideBySide(t *testing.T) {
	capacities := map[string]float64{"a": 500, "b": 70}
	r := searchingRound(t, "{p99: 20ms, within: 5%, step: 10s, beyond: 200%}", map[string]limited{"a": {capacity: 500, deadly: math.Inf(1)}, "b": {capacity: 70, deadly: 120}})
	r.search(context.Background())
	r.load(context.Background())
	r.overload(context.Background())
	counts := map[int]int{}
	for _, tr := range r.trials {
		if tr.outcome != record.Measured {
			t.Fatal(tr.plan.Arm, tr.outcome, tr.reason)
		}
		got := read(t, tr)
		want, c := capacities[tr.plan.Arm], got.Window.Capacity
		if c == nil || math.Abs(math.Log(c.Rate/want)) > math.Log(1.05) || math.Abs(got.Window.Completed()-math.Min(c.Rate, want)) > 1 {
			t.Fatalf("%s: %+v, completed %g", tr.plan.Arm, c, got.Window.Completed())
		}
		last := got.Steps[len(got.Steps)-1]
		if last.Purpose != record.StepBeyond || (last.Lost != "") != (tr.plan.Arm == "b") {
			t.Errorf("%s: %+v", tr.plan.Arm, last)
		}
		for i, s := range got.Steps {
			if s.Number != i+1 || s.Purpose == record.StepSearch && s.Kept != (s.Rate <= want) {
				t.Errorf("%s: %+v", tr.plan.Arm, s)
			}
		}
		counts[len(got.Steps)]++
	}
	if len(counts) != 1 {
		t.Errorf("the arms have numbers of steps: %v", counts)
	}
}

// TestSearchOfOneEnds: a server that is lost in a search, and one that keeps the limit at no rate, end their own
// trials, and the other arm has its capacity.
func TestSearchOfOneEnds(t *testing.T) {
	for find, want := range map[string]record.Outcome{"{p99: 20ms, step: 10s, beyond: none}": record.ServerLost, "{p99: 10ms, step: 10s, beyond: none}": record.Starved} {
		b := limited{capacity: 500, deadly: 400}
		if want == record.Starved {
			b = limited{capacity: 500, deadly: math.Inf(1), always: 15}
		}
		r := searchingRound(t, find, map[string]limited{"a": {capacity: 500, deadly: math.Inf(1)}, "b": b})
		r.search(context.Background())
		r.load(context.Background())
		r.overload(context.Background())
		for _, tr := range r.trials {
			expected := record.Measured
			if tr.plan.Arm == "b" {
				expected = want
			}
			if tr.outcome != expected || tr.reason == "" && expected != record.Measured {
				t.Errorf("%s: %s of %s: %s, %s", want, tr.plan.Arm, find, tr.outcome, tr.reason)
			}
		}
	}
}
