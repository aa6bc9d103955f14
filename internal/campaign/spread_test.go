package campaign

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// varied is a finished run of two arms whose rounds vary.
func varied(t *testing.T, measure string) *record.Run {
	t.Helper()
	e, err := experiment.Parse("two.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: two}
load: {workload: oltp_read_only, threads: 8}
protocol: {rounds: 8, warmup: 1s, measure: `+measure+`}
baseline: a
arms: {a: {target: process}, b: {target: process}}
`))
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	for _, p := range run.Plan.Trials {
		throughput := 1000.0
		if p.Arm == "b" {
			throughput *= math.Exp(0.03 * float64(p.Round%2))
		}
		run.Trials = append(run.Trials, &record.Trial{
			Header: record.Header{Trial: p.Number, Round: p.Round, Arm: p.Arm, Threads: 8},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 4, Counts: record.Counts{Transactions: int64(4 * throughput)}},
		})
	}
	return run
}

// TestSpreadIsRemembered: the next plan of the same kind gets the range of this run's spread, another one
// that of other machines, and so does one whose memory cannot be read.
func TestSpreadIsRemembered(t *testing.T) {
	state := t.TempDir()
	run := varied(t, "4s")
	if s := Recall(state, run.Experiment, run.Plan); s != elsewhere(run.Plan) {
		t.Errorf("nothing is remembered: %+v", s)
	}
	for runs := 1; runs <= 2; runs++ {
		if err := Remember(state, run); err != nil {
			t.Fatal(err)
		}
		// The SD is .015 sqrt(8/7); chi-squared of 7 degrees has 2.833 and 12.017 at 10 and 90 %.
		sd := 0.015 * math.Sqrt(8.0/7)
		s := Recall(state, run.Experiment, run.Plan)
		if s.Runs != runs || math.Abs(s.Low/(sd*math.Sqrt(7/12.017))-1) > 0.01 || math.Abs(s.High/(sd*math.Sqrt(7/2.833))-1) > 0.01 {
			t.Errorf("after %d runs: %+v", runs, s)
		}
	}
	if other := varied(t, "5s"); Recall(state, other.Experiment, other.Plan) != elsewhere(other.Plan) {
		t.Error("another length of the windows has the spread of this one")
	}
	if err := os.WriteFile(filepath.Join(state, memory), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := Recall(state, run.Experiment, run.Plan); s != elsewhere(run.Plan) {
		t.Errorf("a memory that cannot be read: %+v", s)
	}
	if err := Remember(state, run); err == nil {
		t.Error("a memory that cannot be read is written over")
	}
}

// TestSpreadOfFewRounds: three rounds are not remembered.
func TestSpreadOfFewRounds(t *testing.T) {
	state, run := t.TempDir(), varied(t, "4s")
	var few []*record.Trial
	for _, trial := range run.Trials {
		if trial.Header.Round <= 3 {
			few = append(few, trial)
		}
	}
	run.Trials, run.Plan.Rounds, run.Plan.Trials = few, 3, run.Plan.Trials[:len(few)]
	if err := Remember(state, run); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(state, memory)); !os.IsNotExist(err) {
		t.Errorf("three rounds are remembered: %v", err)
	}
}
