package compare

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// TestFailedSwitchesAreWarnings: servers that ran in others' turns, or not in their own, are named
// where that happened in more than 5 % of an arm's turns.
func TestFailedSwitchesAreWarnings(t *testing.T) {
	r := fill(planned(t, spec(6, "1%", "bare: {target: process}", "a: {target: container}", "b: {target: container}")), func(string, int) float64 { return 100 })
	r.Plan = r.Plan.Interleave(r.Experiment, experiment.Interleaving{
		Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: 200 * time.Millisecond, Warmup: 2, Cycles: 8},
	})
	failed := func(awake, asleep int) func(*record.Trial) {
		return func(t *record.Trial) {
			t.Facts = append(t.Facts, record.Fact{Key: "slices.not_frozen", Value: strconv.Itoa(awake), Phase: "end"},
				record.Fact{Key: "slices.not_thawed", Value: strconv.Itoa(asleep), Phase: "end"})
		}
	}
	each(r, "bare", failed(0, 0)) // of ten turns in each of six rounds
	each(r, "a", failed(1, 0))
	each(r, "b", failed(0, 2))
	warned := func() (all []string) {
		for _, w := range Run(r).Warnings {
			if w.Code == "not-frozen" || w.Code == "not-thawed" {
				all = append(all, w.String())
			}
		}
		return all
	}
	want := []string{"not-frozen n=6 of=60 arm=[arm arm=a]", "not-thawed n=12 of=60 arm=[arm arm=b]"}
	if got := warned(); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
	for _, t := range r.Trials {
		if t.Header.Round > 2 { // 2 of 60 turns, and 4
			t.Facts = nil
		}
	}
	if got := warned(); !slices.Equal(got, []string{"not-thawed n=4 of=60 arm=[arm arm=b]"}) {
		t.Errorf("few failures: %q", got)
	}
}
