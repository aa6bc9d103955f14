package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestLackingOfWatchedServer: a rule that cannot be decided for one server that is watched says which of baseline,
// counters and settings it has not got.
func TestLackingOfWatchedServer(t *testing.T) {
	watched := []record.Fact{{Key: keys.WatchedLive, Value: "true", Phase: "start"}}
	arm := &compare.Arm{Name: "server", Trials: []*record.Trial{{Facts: watched}}}
	if !isLive(arm) {
		t.Fatal("the arm is no watched server")
	}
	o := &Observed{Arm: arm}
	silent := Rule{ID: "X", Run: func(*Observed) []Finding { return nil }}
	for name, c := range map[string]struct {
		rule Rule
		want string
	}{
		"a comparison": {kCPU05(), "this rule compares a server with another one, and only one server is watched here; to measure two servers: tare versus A B"},
		"a Service":    {kNET10(), "whether its clients connect to a Service or to the server itself is not known"},
		"durability":   {mDUR01(), "this rule compares a server with another one, and only one server is watched here; to measure two servers: tare versus A B"},
		"a distance":   {cNET01(), "this rule compares a server with another one, and only one server is watched here; to measure two servers: tare versus A B"},
		"no counters":  {silent, "needs the kernel's counters of the server's process"},
	} {
		all := observe(c.rule, o)
		if len(all) != 1 || all[0].Verdict != Unknown || !strings.Contains(all[0].Says, c.want) {
			t.Errorf("%s: %+v", name, all)
		}
	}
}
