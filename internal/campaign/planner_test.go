package campaign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
)

// TestSummary: the line before a run says how long it takes, and that rounds are too few for
// so many arms before they are measured, not in the report after them.
func TestSummary(t *testing.T) {
	for protocol, want := range map[string]string{
		"rounds: 1":                    "about 1 min; no intervals: one round shows no spread\n",
		"rounds: 6":                    "about 4 min; too few rounds for a verdict: 2 comparisons need 7 rounds or more\nrounds vary by   95 % interval   detected (power 80 %)\n0.5 %            ±0.65 %         0.85 %\n1 %              ±1.3 %          1.7 %\n2 %              ±2.6 %          3.4 %\n",
		"rounds: 7":                    "about 5 min; enough rounds for a verdict on a difference of 1.5 %\nrounds vary by   95 % interval   detected (power 80 %)\n0.5 %            ±0.56 %         0.74 %\n1 %              ±1.1 %          1.5 %\n2 %              ±2.2 %          3 %\n",
		"rounds: {open: true, max: 7}": "about 4 min (at most 7 rounds, about 5 min); enough rounds for a verdict on a difference of 2.5 %\nrounds vary by   95 % interval   detected (power 80 %)\n0.5 %            ±1.1 %          1.2 %\n1 %              ±2.2 %          2.5 %\n2 %              ±4.4 %          5 %\n",
		"precision: 1%, rounds: {pilot: 8, max: 20}": "about 6 min (at most 20 rounds, about 15 min); enough rounds for a verdict on a difference of 0.74 %\nrounds vary by   rounds for ±1 %\n0.5 %            8, about 6 min\n1 %              9, about 7 min\n2 %              33, about 24 min; the maximum is 20\n",
	} {
		spec := fmt.Sprintf(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: three}
load: {workload: oltp_read_only, threads: 8}
protocol: {%s, warmup: 1s, measure: 4s}
baseline: a
arms: {a: {target: process}, b: {target: process}, c: {target: process}}
`, protocol)
		e, err := experiment.Parse("three.yaml", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		plan := experiment.NewPlan(e)
		got := strings.Join(append([]string{Summary(e, plan)}, Expected(e, plan)...), "\n") + "\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", protocol, diff)
		}
		for line := range strings.Lines(got) {
			if len([]rune(line)) > 105 {
				t.Errorf("%s: a line of %d characters: %s", protocol, len([]rune(line)), line)
			}
		}
	}
}
