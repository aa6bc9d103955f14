package main

import (
	"testing"

	"github.com/tarebench/tare/internal/diagnose"
)

// TestHintsAndCounters: a hint that the redo log is small is not given beside counters that rule it out; what is certain stays.
func TestHintsAndCounters(t *testing.T) {
	counters := func(v diagnose.Verdict) []diagnose.Finding { return []diagnose.Finding{{Rule: "C-IO-04", Verdict: v}} }
	for _, c := range []struct {
		setting, counted diagnose.Verdict
		kept             bool
	}{{diagnose.Hint, diagnose.RuledOut, false}, {diagnose.Hint, diagnose.Unknown, true}, {diagnose.Hint, diagnose.Confirmed, true}, {diagnose.Confirmed, diagnose.RuledOut, true}} {
		got := unlessCounted([]diagnose.Finding{{Rule: "M-REDO-01", Verdict: c.setting}, {Rule: "M-IO-05", Verdict: diagnose.Hint}}, counters(c.counted))
		if want := map[bool]int{true: 2, false: 1}[c.kept]; len(got) != want || got[len(got)-1].Rule != "M-IO-05" {
			t.Errorf("%s, C-IO-04 %s: %+v", c.setting, c.counted, got)
		}
	}
}
