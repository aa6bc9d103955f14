package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/campaign/campaigntest"
	"github.com/tarebench/tare/internal/experiment"
)

func TestArmToTune(t *testing.T) {
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec+"  other: {target: container}\n"))
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

// TestTuneBudgetTooShort: a budget that does not hold the first run is a mistake of the
// command line.
func TestTuneBudgetTooShort(t *testing.T) {
	e, err := experiment.Parse("shop.yaml", []byte(campaigntest.Spec))
	if err != nil {
		t.Fatal(err)
	}
	err = tune(t.Context(), &terminal{out: t.Output(), err: t.Output()}, e, tuneOptions{budget: time.Second, out: t.TempDir()})
	if exitCode(err) != exitInvalid || !strings.Contains(err.Error(), "raise --budget") {
		t.Errorf("%v", err)
	}
}
