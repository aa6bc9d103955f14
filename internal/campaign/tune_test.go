package campaign

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/campaign/campaigntest"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

func tuned(t *testing.T, gain float64, budget time.Duration) (said, dir string, runs []string) {
	t.Helper()
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	dir = t.TempDir()
	tu := &Tuning{Like: e, Dir: dir, Say: &out, Budget: budget}
	tu.Measure = func(e *experiment.Experiment, dir string) (*record.Run, error) {
		runs = append(runs, filepath.Base(dir))
		tu.began = tu.began.Add(-96 * time.Second) // 12 trials of 8 s have passed
		return campaigntest.Run(e, gain), nil
	}
	arm, _ := e.Arm("pod")
	if err := tu.Run(arm); err != nil {
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
	contains(t, said, "found: C-CPU-01: throttled in 80 %", "kept: C-CPU-01 {cpu: max}: throughput +100", "stopped: the changes for all causes that the counters show", "in all: throughput +")
	if got := strings.Join(runs, " "); got != "0-as-written 1-remedies 2-before-and-after" {
		t.Error(got)
	}
	text, err := os.ReadFile(filepath.Join(dir, TunedFile))
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Parse(TunedFile, text)
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := e.Arm("tuned"); !a.Same("{target: container, cpu: max, neighbour: {cpu: 1}}") || e.Baseline != "pod" {
		t.Errorf("%s", text)
	}
}

// A remedy that does not help is rejected, although its cause is present, and not
// measured a second time.
func TestTuneRefuses(t *testing.T) {
	for _, gain := range []float64{1, 0.8} {
		said, dir, runs := tuned(t, gain, time.Hour)
		contains(t, said, "rejected: C-CPU-01", "kept: nothing")
		if len(runs) != 2 {
			t.Errorf("%v", runs)
		}
		if _, err := os.Stat(filepath.Join(dir, TunedFile)); err == nil {
			t.Error("an experiment is written although nothing was kept")
		}
	}
}

// TestTuneFindsNothing: where the counters show no cause with a change, nothing is said to have been measured, and the
// rules without counters are named.
func TestTuneFindsNothing(t *testing.T) {
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	tu := &Tuning{Like: e, Dir: t.TempDir(), Say: &out, Budget: time.Hour, Measure: func(e *experiment.Experiment, _ string) (*record.Run, error) {
		return campaigntest.Run(e, 2), nil
	}}
	bare, _ := e.Arm(e.Baseline)
	if err := tu.Run(bare); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "stopped: the counters show no cause that a change is known for, so nothing was measured but the arm as it is", "; unknown, because counters are missing: ", "C-BP-01", "kept: nothing")
	if strings.Contains(out.String(), "have been measured") {
		t.Error(out.String())
	}
}

// The budget stops it before a run that would not end within it, and what was kept
// by then stays. Two runs of 96 s fit, and three do not, whatever the test itself takes meanwhile.
func TestTuneBudget(t *testing.T) {
	said, dir, runs := tuned(t, 2, 280*time.Second)
	contains(t, said, "kept: C-CPU-01", "stopped:", "the original and the tuned arm were not compared: the budget is spent; to compare them: tare run")
	if len(runs) != 2 {
		t.Errorf("%v", runs)
	}
	if _, err := os.Stat(filepath.Join(dir, TunedFile)); err != nil {
		t.Error(err)
	}
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec))
	if err != nil {
		t.Fatal(err)
	}
	arm, _ := e.Arm("pod")
	var short BudgetError
	if err := (&Tuning{Like: e, Budget: time.Second}).Run(arm); !errors.As(err, &short) || short.Budget != time.Second || !strings.Contains(err.Error(), "raise --budget") {
		t.Errorf("%v", err)
	}
}

// TestTunePricesAllRounds: a run that may be extended can need as many rounds as its rule allows.
func TestTunePricesAllRounds(t *testing.T) {
	text := strings.Replace(campaigntest.Spec, "rounds: 6", "precision: 1%, rounds: {pilot: 6, max: 200}", 1)
	e, err := experiment.Parse("shop.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	arm, _ := e.Arm("pod")
	tu := Tuning{Like: e, Dir: t.TempDir(), Budget: 20 * time.Minute, Measure: func(*experiment.Experiment, string) (*record.Run, error) {
		return nil, errors.New("it was started")
	}}
	var short BudgetError
	if err := tu.Run(arm); !errors.As(err, &short) || short.Takes < tu.Budget {
		t.Errorf("%v", err)
	}
}
