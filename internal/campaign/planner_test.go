package campaign

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/experiment"
)

// TestSummary: the line before a run says how long it takes, and that rounds are too few for
// so many arms before they are measured, not in the report after them.
func TestSummary(t *testing.T) {
	for protocol, want := range map[string]string{
		"rounds: 1":                    "about 35 s; no intervals: one round shows no spread\n",
		"rounds: 6":                    "about 4 min; too few rounds for a verdict: 2 comparisons need at least 7 rounds, and this experiment has 6\nrounds vary by 1.9 to 14 % (windows, other machines; no run of this plan on this machine yet)\nrounds vary by   95 % interval   detected (power 80 %)\n1.9 %            ±2.5 %          3.2 %\n5.1 %            ±6.6 %          8.7 %\n14 %             ±18 %           23 %\n",
		"rounds: 7":                    "about 5 min; enough rounds for a verdict on 2.8 to 20 % without other load\nrounds vary by 1.9 to 14 % (windows, other machines; no run of this plan on this machine yet)\nrounds vary by   95 % interval   detected (power 80 %)\n1.9 %            ±2.1 %          2.8 %\n5.1 %            ±5.7 %          7.6 %\n14 %             ±15 %           20 %\n",
		"rounds: {open: true, max: 7}": "about 4 min (at most 7 rounds, about 5 min); enough rounds for a verdict on 4.7 to 34 % without other load\nrounds vary by 1.9 to 14 % (windows, other machines; no run of this plan on this machine yet)\nrounds vary by   95 % interval   detected (power 80 %)\n1.9 %            ±4.1 %          4.7 %\n5.1 %            ±11 %           13 %\n14 %             ±30 %           34 %\n",
		"precision: 1%, rounds: {pilot: 8, max: 20}": "about 6 min (at most 20 rounds, about 15 min); enough rounds for a verdict on 1.4 to 10 % without other load\nrounds vary by 1.9 to 14 % (windows, other machines; no run of this plan on this machine yet)\nrounds vary by   rounds for ±1 %\n1.9 %            30, about 22 min; the maximum is 20\n5.1 %            209, about 2.6 h; the maximum is 20\n14 %             1494, about 18.3 h; the maximum is 20\n",
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
		spread := Recall(t.TempDir(), e, plan)
		got := strings.Join(append([]string{Summary(e, plan, spread)}, Expected(e, plan, spread)...), "\n") + "\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", protocol, diff)
		}
		for line := range strings.Lines(got) {
			if len([]rune(line)) > 110 {
				t.Errorf("%s: a line of %d characters: %s", protocol, len([]rune(line)), line)
			}
		}
	}
}

// TestRoundOfServersThatRun: a server that tare does not start takes a second beside its load, not those of a start:
// rounds of `tare versus` with 15.5 s of turns took 16.6 s.
func TestRoundOfServersThatRun(t *testing.T) {
	const spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: two}
load: {workload: oltp_read_only, threads: [8, 16]}
protocol: {rounds: 4, warmup: 1s, measure: 4s, aa: true}
baseline: a
arms: {a: {target: external, host: db1}, b: {target: %s}}
`
	for other, want := range map[string]time.Duration{"external, host: db2": 3 * 2 * 6 * time.Second, "process": 2*2*6*time.Second + 2*11*time.Second} {
		e, err := experiment.Parse("two.yaml", fmt.Appendf(nil, spec, other))
		if err != nil {
			t.Fatal(err)
		}
		if got := RoundTime(e, experiment.NewPlan(e)); got != want {
			t.Errorf("%s: %v, want %v", other, got, want)
		}
	}
}

// TestSummaryOfOneArm: what a run of one arm shows is its capacity, or what its events cost.
func TestSummaryOfOneArm(t *testing.T) {
	const begin = "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nprotocol: {rounds: 2}\n"
	for text, want := range map[string]string{
		"load: {threads: 1, rate: 10/s}\narms: {a: {target: process, events: [{at: 2s, kill: server}]}}\n": "; one arm: what its events cost, and no comparison",
		"load: {threads: 1, find: {p99: 20ms}}\narms: {a: {target: process}}\n":                            "; one arm: its capacity, and no comparison",
	} {
		e, err := experiment.Parse("x.yaml", []byte(begin+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := Summary(e, experiment.NewPlan(e), Spread{}); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
