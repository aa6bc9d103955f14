package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestSetAside: a round is moved away whole, is read back with its reason, and its
// places in the plan are free again; trials of other rounds stay.
func TestSetAside(t *testing.T) {
	e, err := experiment.Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: 2}
baseline: a
arms: {a: {target: fake}, b: {target: fake}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan, dir := experiment.NewPlan(e), filepath.Join(t.TempDir(), "run")
	if err := Create(dir, e, plan); err != nil {
		t.Fatal(err)
	}
	measure := func(reason string) {
		for _, p := range plan.Trials {
			if _, err := os.Stat(TrialDir(dir, p)); err == nil {
				continue
			}
			s, err := CreateStream(TrialDir(dir, p), Header{Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(End{Outcome: NotReady, Reason: reason}); err != nil {
				t.Fatal(err)
			}
		}
	}
	measure("first")
	void := Void{Round: 2, Causes: []Cause{{Trial: 3, Round: 2, Arm: plan.Trials[2].Arm, Threads: 8, Gate: "steal", Sign: Sign{Seen: 0.04, Median: 0.001}}}}
	for _, reason := range []string{"second", "third"} {
		if err := SetAside(dir, plan, void); err != nil {
			t.Fatal(err)
		}
		if run, err := Open(dir); err != nil || len(run.Trials) != 2 || run.Trials[1].Header.Round != 1 {
			t.Fatalf("%v, %+v", err, run)
		}
		measure(reason)
	}
	run, err := Open(dir)
	if err != nil || len(run.Trials) != 4 || run.Trials[3].End.Reason != "third" {
		t.Fatalf("%v, %+v", err, run)
	}
	if len(run.Voids) != 2 || len(run.Voids[0].Trials) != 2 || run.Voids[0].Trials[0].End.Reason != "first" ||
		run.Voids[1].Trials[1].End.Reason != "second" || run.Voids[1].Causes[0] != void.Causes[0] {
		t.Errorf("%+v", run.Voids)
	}
}

// TestVoidsWhateverTheRunIsCalled: brackets in the path of a run are no pattern, and a file
// that something else put beside the rounds is none of them.
func TestVoidsWhateverTheRunIsCalled(t *testing.T) {
	made, e, p := readerPlan(t, 3)
	dir := filepath.Join(filepath.Dir(made), "mysql[8.4]")
	if err := os.Rename(made, dir); err != nil {
		t.Fatal(err)
	}
	for _, trial := range p.Trials[:4] {
		measured(t, dir, trial, Measured)
	}
	if err := SetAside(dir, p, Void{Round: 1, Causes: []Cause{{Trial: 1, Gate: "steal"}}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, VoidsDir, ".DS_Store"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, VoidsDir, "002-round-2"), 0o755); err != nil { // cut off
		t.Fatal(err)
	}
	run, err := Open(dir)
	if err != nil || len(run.Voids) != 1 || len(run.Voids[0].Trials) != 2 {
		t.Errorf("Open: %v, %+v", err, run)
	}
	if run := read(t, NewReader(dir, e), p); len(run.Voids) != 1 {
		t.Errorf("Reader: %+v", run.Voids)
	}
}

// TestFinishSetAside: of a round that was being set aside when tare was killed, the trials that had
// not been moved follow; those that have been measured again since stay, and so do other rounds.
func TestFinishSetAside(t *testing.T) {
	dir, _, p := readerPlan(t, 3)
	for _, trial := range p.Trials[:4] {
		measured(t, dir, trial, Measured)
	}
	if err := SetAside(dir, p, Void{Round: 1, Causes: []Cause{{Trial: 1, Gate: "steal"}}}); err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, VoidsDir, "001-round-1")
	for _, trial := range p.Trials[:2] {
		measured(t, dir, trial, Measured)
	}
	if err := os.RemoveAll(filepath.Join(place, filepath.Base(TrialDir(dir, p.Trials[1])))); err != nil { // as if it had not been moved
		t.Fatal(err)
	}
	for range 2 {
		if err := FinishSetAside(dir, p); err != nil {
			t.Fatal(err)
		}
		run, err := Open(dir)
		if err != nil || len(run.Trials) != 3 || run.Trials[0].Header.Trial != 1 || run.Trials[1].Header.Round != 2 {
			t.Errorf("%v, %+v", err, run)
		}
		if len(run.Voids) != 1 || len(run.Voids[0].Trials) != 2 {
			t.Errorf("set aside: %+v", run.Voids)
		}
	}
}
