package main

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target/process"
)

// TestRateBySlices: a server under load.rate runs only while its load is offered, as in every other open loop: with
// guard and drain it answers a part of the queue while the arm's own time stands still, and p95 is too low (C32).
// Levels of load.threads share a server, so that they are measured by windows. A closed loop keeps its drain.
func TestRateBySlices(t *testing.T) {
	for name, c := range map[string]struct {
		rate    experiment.Rate
		threads experiment.Counts
		exact   bool
		windows string // the reason's code
	}{
		"closed loop":             {0, experiment.Counts{8, 16}, false, ""},
		"open loop":               {100, experiment.Counts{8}, true, ""},
		"open loop at two levels": {100, experiment.Counts{8, 16}, false, "rate-levels"},
	} {
		t.Run(name, func(t *testing.T) {
			e := membersJob(t, 2, process.Settings{}).Experiment
			e.Load.Rate, e.Load.Threads = c.rate, c.threads
			p := interleaving(e, nil, false, openLoop(e, false))
			if c.windows != "" {
				if p.Slices != nil || p.Reason.Code != c.windows {
					t.Fatalf("%s: %s", p.Kind, p.Why)
				}
				return
			}
			if p.Slices == nil {
				t.Fatal(p.Why)
			}
			for _, of := range append([]experiment.Interleaving{p}, p.Otherwise...) {
				if s := of.Slices; s != nil && (s.Exact != c.exact || (s.Drain == 0) != c.exact || s.Check() != nil) {
					t.Errorf("%+v", *s)
				}
			}
		})
	}
}
