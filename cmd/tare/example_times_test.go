package main

// This file compares the times that examples name with those that tare check computes.

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
)

// TestExamplesNameTheirTime: the time in the comment of an example is that of tare check, whose summary begins with it. All of
// them have an arm with a CPU quota in periods of 100 ms, which decides their slices.
func TestExamplesNameTheirTime(t *testing.T) {
	for _, name := range []string{"capacity.yaml", "qos.yaml"} {
		text, err := os.ReadFile("../../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := experiment.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		memories := []layer.Memory{layer.QuotaMemory(100 * time.Millisecond)}
		plan := experiment.NewPlan(e).Interleave(e, interleaving(e, memories, false, nil))
		want := regexp.MustCompile(`^about [0-9.]+ (h|min)`).FindString(campaign.Summary(e, plan, campaign.Spread{Low: 0.01, High: 0.02}))
		if comment, _, _ := strings.Cut(string(text), "apiVersion:"); want == "" || !strings.Contains(comment, ": "+want+".") {
			t.Errorf("the comment of %s does not say that it takes %q:\n%s", name, want, comment)
		}
	}
}
