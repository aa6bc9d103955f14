package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

const tuneSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: shop}
load: {threads: 4}
protocol: {rounds: 6, warmup: 1s, measure: 1s, margin: 2%, aa: false}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container, cpu: 500m, neighbour: {cpu: 1}}
`

// simulated carries a plan out on a machine of which all is known: a quota
// throttles and halves, as throttled says; without a CPU request a neighbour does.
func simulated(e *experiment.Experiment, gain float64) *record.Run {
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	for _, p := range run.Plan.Trials {
		arm, _ := e.Arm(p.Arm)
		tps, throttled := 1000*(1+0.002*math.Sin(float64(p.Number))), "0"
		if strings.Contains(arm.Settings(), "cpu: 500m") {
			tps, throttled = tps/gain, "80"
		}
		trial := &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 1e6, Counts: record.Counts{Transactions: int64(tps * 1e6)}},
		}
		if arm.Target == "container" {
			trial.Facts = []record.Fact{
				{Key: "cgroup.container.cpu.stat.nr_periods", Value: "0", Phase: "start"}, {Key: "cgroup.container.cpu.stat.nr_throttled", Value: "0", Phase: "start"},
				{Key: "cgroup.container.cpu.stat.nr_periods", Value: "100", Phase: "end"}, {Key: "cgroup.container.cpu.stat.nr_throttled", Value: throttled, Phase: "end"},
				{Key: "server.run_ns", Value: "0", Phase: "start"}, {Key: "server.run_ns", Value: "1000", Phase: "end"},
				{Key: "server.runqueue_wait_ns", Value: "0", Phase: "start"}, {Key: "server.runqueue_wait_ns", Value: "10", Phase: "end"},
			}
		}
		run.Trials = append(run.Trials, trial)
	}
	return run
}

func tuned(t *testing.T, gain float64, budget time.Duration) (said, dir string, runs []string) {
	t.Helper()
	e, err := experiment.Parse("shop.yaml", []byte(tuneSpec))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	dir = t.TempDir()
	tu := &tuner{like: e, dir: dir, say: &out, tried: map[string]bool{}, budget: budget, began: time.Now()}
	tu.measure = func(e *experiment.Experiment, dir string) (*record.Run, error) {
		runs = append(runs, filepath.Base(dir))
		tu.began = tu.began.Add(-96 * time.Second) // 12 trials of 8 s have passed
		return simulated(e, gain), nil
	}
	arm, err := armToTune(e, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := tu.run(arm); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), dir, runs
}

func contains(t *testing.T, said string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("nothing of %q in\n%s", w, said)
		}
	}
}

// A change that helps is kept, asked about again, and measured as a whole.
func TestTuneKeeps(t *testing.T) {
	said, dir, runs := tuned(t, 2, time.Hour)
	contains(t, said, "found: C-CPU-01: its cgroup was throttled in 80 %", "kept: C-CPU-01 {cpu: max}: throughput +100", "stopped: nothing confirmed is left", "in all: throughput +")
	if got := strings.Join(runs, " "); got != "0-as-written 1-remedies 2-before-and-after" {
		t.Error(got)
	}
	text, err := os.ReadFile(filepath.Join(dir, tunedFile))
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Parse(tunedFile, text)
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := e.Arm("tuned"); !a.Same("{target: container, cpu: max, neighbour: {cpu: 1}}") || e.Baseline != "pod" {
		t.Errorf("%s", text)
	}
}

// A remedy that does not help is refused, although its cause is confirmed, and not
// measured a second time.
func TestTuneRefuses(t *testing.T) {
	for _, gain := range []float64{1, 0.8} {
		said, dir, runs := tuned(t, gain, time.Hour)
		contains(t, said, "refused: C-CPU-01", "kept: nothing")
		if len(runs) != 2 {
			t.Errorf("%v", runs)
		}
		if _, err := os.Stat(filepath.Join(dir, tunedFile)); err == nil {
			t.Error("an experiment is written although nothing was kept")
		}
	}
}

// The budget stops it before a run that would not end within it, and what was kept
// by then stays.
func TestTuneBudget(t *testing.T) {
	said, dir, runs := tuned(t, 2, 200*time.Second)
	contains(t, said, "kept: C-CPU-01", "stopped:", "not measured as a whole: the budget is spent; tare run")
	if len(runs) != 2 {
		t.Errorf("%v", runs)
	}
	if _, err := os.Stat(filepath.Join(dir, tunedFile)); err != nil {
		t.Error(err)
	}
	e, err := experiment.Parse("shop.yaml", []byte(tuneSpec))
	if err != nil {
		t.Fatal(err)
	}
	tu := &tuner{like: e, budget: time.Second, began: time.Now(), tried: map[string]bool{}}
	arm, _ := e.Arm("pod")
	if err := tu.run(arm); exitCode(err) != exitInvalid || !strings.Contains(err.Error(), "raise --budget") {
		t.Errorf("%v", err)
	}
}

func TestArmToTune(t *testing.T) {
	e, err := experiment.Parse("shop.yaml", []byte(tuneSpec+"  other: {target: container}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := armToTune(e, "other"); err != nil || a.Name != "other" {
		t.Errorf("%v %v", a.Name, err)
	}
	for name, want := range map[string]string{"": "choose an arm with --arm: pod, other", "nobody": `unknown arm "nobody"`} {
		if _, err := armToTune(e, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
