package diagnose

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestRunningServersHaveNoRemedies: tare sets no option of a server that ran before, so that an arm with one would be
// measured as it is and called the remedy.
func TestRunningServersHaveNoRemedies(t *testing.T) {
	found := []Finding{{Rule: "C-IO-04", Subject: "a", Verdict: Confirmed, Change: "{config: {innodb_log_file_size: 2G}}"}}
	for target, want := range map[string][2]int{"process": {1, 0}, "external": {0, 1}} {
		p := ProposeRun(found, experiment.Arm{Name: "a", Target: target})
		if len(p.Changes) != want[0] || len(p.Unmeasured) != want[1] {
			t.Errorf("%s: %d changes, %d not measured", target, len(p.Changes), len(p.Unmeasured))
		}
	}
}
