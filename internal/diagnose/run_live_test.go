package diagnose

import (
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestRulesOfLiveServer: of a server that another program loads every rule says something,
// and none that compares with a baseline, or with settings nobody knows, is ruled out.
func TestRulesOfLiveServer(t *testing.T) {
	e := &experiment.Experiment{Arms: experiment.Arms{{Name: "server", Target: "container"}}}
	arm := seenBy{facts: said{keys.WatchedLive: "true"}}.arm("server")
	arm.Baseline = true
	said := map[string]Verdict{}
	for _, f := range Run(&record.Run{Experiment: e}, &compare.Result{Arms: []compare.Arm{*arm}}, Rules()) {
		said[f.Rule] = f.Verdict
	}
	for _, r := range Rules() {
		if r.Run != nil && (said[r.ID] == "") != r.Written { // lint judges what is written in its pod
			t.Errorf("%s says nothing of a running server", r.ID)
		}
	}
	for _, id := range []string{"M-DUR-01", "C-NET-01", "K-CPU-05", "K-NET-10"} {
		if said[id] != Unknown {
			t.Errorf("%s is %q without a baseline, want unknown", id, said[id])
		}
	}
}
