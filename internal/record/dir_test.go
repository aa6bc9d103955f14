package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

const spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: {rounds: 2}
baseline: a
arms:
  a: {target: process}
  b: {target: process}
`

func created(t *testing.T) (string, experiment.Plan) {
	t.Helper()
	e, err := experiment.Parse("x.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	dir, plan := filepath.Join(t.TempDir(), "run"), experiment.NewPlan(e)
	if err := Create(dir, e, plan); err != nil {
		t.Fatal(err)
	}
	return dir, plan
}

func write(t *testing.T, dir string, trial experiment.Trial, end bool) {
	t.Helper()
	s, err := CreateStream(TrialDir(dir, trial), Header{Trial: trial.Number, Round: trial.Round, Arm: trial.Arm})
	if err != nil {
		t.Fatal(err)
	}
	if end {
		err = s.Close(End{Outcome: Measured})
	} else {
		err = s.Abort()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenHalfWrittenRun(t *testing.T) {
	dir, plan := created(t)
	write(t, dir, plan.Trials[0], true)
	write(t, dir, plan.Trials[1], false)
	// Killed after the directory was made and before the first byte.
	empty := TrialDir(dir, plan.Trials[2])
	if err := os.MkdirAll(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(empty, StreamFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != 3 || run.Trials[0].Incomplete != "" || run.Trials[1].Incomplete == "" || run.Trials[2].Incomplete == "" {
		t.Fatalf("%+v", run.Trials)
	}
	if h := run.Trials[2].Header; h.Trial != 3 || h.Arm != plan.Trials[2].Arm {
		t.Errorf("a lost header is not taken from the plan: %+v", h)
	}
	// A second attempt replaces the first.
	write(t, dir, plan.Trials[1], true)
	if run, err = Open(dir); err != nil || run.Trials[1].Incomplete != "" {
		t.Error(err, run.Trials[1].Incomplete)
	}
}

func TestRefusals(t *testing.T) {
	dir, plan := created(t)
	e, err := experiment.Parse("x.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	if err := Create(dir, e, plan); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("made a run over another: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ExperimentFile), []byte(strings.Replace(spec, "rounds: 2", "rounds: 3", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "do not belong together") {
		t.Errorf("opened a run whose experiment was changed afterwards: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("opened an empty directory: %v", err)
	}
	write(t, dir, experiment.Trial{Number: 1, Arm: plan.Trials[0].Arm}, true)
}

func TestOpenImport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	trial := experiment.Trial{Number: 1, Round: 1, Arm: "bare", Threads: 56}
	if err := CreateImport(dir, Import{Format: "sysbench", Baseline: "bare", Trials: []experiment.Trial{trial}}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, trial, true)
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Imported == nil || run.Imported.Baseline != "bare" || len(run.Trials) != 1 || run.Trials[0].Header.Threads != 56 {
		t.Errorf("%+v", run)
	}
}

// A file of the user's keeps its mode, and the link that leads to it.
func TestRewriteFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	if err := RewriteFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if at, err := os.Readlink(link); err != nil || at != "file" {
		t.Errorf("the link leads to %q, %v", at, err)
	}
	if text, _ := os.ReadFile(file); string(text) != "new" {
		t.Errorf("%q", text)
	}
}

// TestChangedImportIsRefused: names of arms in import.json become paths, and rounds are
// counted with.
func TestChangedImportIsRefused(t *testing.T) {
	good := experiment.Trial{Number: 1, Round: 1, Slot: 1, Arm: "a", Threads: 1}
	for _, change := range []func(*experiment.Trial){
		func(t *experiment.Trial) { t.Arm = "../../etc" },
		func(t *experiment.Trial) { t.Round = 99 },
		func(t *experiment.Trial) { t.Round = -1 },
		func(t *experiment.Trial) { t.Number = 0 },
		func(t *experiment.Trial) { t.Threads = -1 },
	} {
		dir, bad := filepath.Join(t.TempDir(), "run"), good
		change(&bad)
		if err := CreateImport(dir, Import{Trials: []experiment.Trial{bad}}); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "was changed") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
