package campaign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestExpectedSaysExploratory: that rounds are too few for so many arms is said before
// they are measured, not in the report after them.
func TestExpectedSaysExploratory(t *testing.T) {
	for rounds, want := range map[int]string{6: "6 rounds carry no verdict on 2 at once", 7: ""} {
		spec := fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: three}
load: {workload: oltp_read_only, threads: 8}
protocol: {rounds: %d, warmup: 1s, measure: 4s}
baseline: a
arms: {a: {target: process}, b: {target: process}, c: {target: process}}
`, rounds)
		e, err := experiment.Parse("three.yaml", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(Expected(e, experiment.NewPlan(e)), "\n")
		verdict := map[bool]string{true: "; too few rounds for a verdict: 2 comparisons need 7 rounds or more", false: "; enough rounds for a verdict: detects differences of "}[want != ""]
		if line := Summary(e, experiment.NewPlan(e)); !strings.Contains(line, verdict) || !strings.HasPrefix(line, "about ") {
			t.Errorf("%d rounds: %s, want %q", rounds, line, verdict)
		}
		if got := strings.Contains(said, "exploratory"); got != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%d rounds, said:\n%s\nwant %q", rounds, said, want)
		}
	}
}
