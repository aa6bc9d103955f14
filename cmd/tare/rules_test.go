package main

import (
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/probe"
)

// What a rule names as the counters of its cause, a probe reads: else the report would
// lack the picture without a failing test.
func TestCountersOfRulesAreRead(t *testing.T) {
	read := map[string]bool{}
	for _, p := range probe.All() {
		for _, m := range p.Metrics {
			read[m.Name] = true
		}
	}
	read[compare.WaitPerCPU().Name] = true // made of two that the probe of threads reads
	named := 0
	for _, r := range diagnose.Rules() {
		for _, name := range r.Counters {
			named++
			if !read[name] {
				t.Errorf("%s names %s, which no probe reads", r.ID, name)
			}
			if r.Run == nil {
				t.Errorf("%s has counters and reads no run", r.ID)
			}
		}
	}
	if named == 0 {
		t.Error("no rule names a counter")
	}
}
