package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/campaign/campaigntest"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// runOn writes the run of a machine on which a pod costs the given share, and returns its directory.
func runOn(t *testing.T, machine string, seed uint64, cost float64, replace ...string) string {
	t.Helper()
	w := campaigntest.World{
		Name: "combine", YAML: strings.NewReplacer(replace...).Replace(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: nodes}
load: {workload: oltp_read_only, threads: 4}
protocol: {kind: windows, aa: false, rounds: 6, voids: 0, warmup: 5s, measure: 20s, margin: 1%}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container}
`),
		Effect: func(a experiment.Arm) float64 {
			if a.Name == "pod" {
				return math.Log(1 - cost)
			}
			return 0
		},
		Noise: func(rng *rand.Rand) func(experiment.Trial) float64 {
			return func(experiment.Trial) float64 { return 0.002 * rng.NormFloat64() }
		},
		Tail: func(experiment.Arm) float64 { return 0 },
		Change: func(_ *rand.Rand, trial *record.Trial) {
			if machine != "" {
				trial.Facts = append(trial.Facts, record.Fact{Key: keys.HostMachine, Value: machine, Source: "/etc/machine-id", Phase: "start"})
			}
		},
	}
	r, err := w.Draw(seed)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), fmt.Sprintf("run-%d", seed))
	if err := campaigntest.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tareSays runs a command in this process.
func tareSays(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(args, &terminal{out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}

func TestCombineCommand(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	var dirs, unknown []string
	for i, cost := range []float64{.10, .11, .09, .10, .12, .08} {
		dirs = append(dirs, runOn(t, fmt.Sprint("machine", i), uint64(i+1), cost))
		unknown = append(unknown, runOn(t, "", uint64(i+11), cost))
	}
	code, out, errs := tareSays(append([]string{"combine"}, dirs...)...)
	if said := strings.Join(strings.Fields(out), " "); code != exitDone || !strings.Contains(said, "COSTS pod is 10") || !strings.Contains(said, "6 machines; margin 1 %") || !strings.Contains(said, "run-3 (machine 3): 9.") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	var doc struct {
		Schema  string
		Unit    string
		Effects []struct {
			Measure, Verdict string
			Interval         *[2]float64
		}
	}
	code, out, errs = tareSays(append([]string{"combine", "-o", "json"}, dirs[:2]...)...)
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitDone || doc.Schema != "tare.combined/v1" || doc.Unit != "machines" {
		t.Fatalf("%d, %v, %s%s", code, err, out, errs)
	}
	if e := doc.Effects[0]; e.Measure != "throughput" || e.Verdict != "inconclusive" || e.Interval != nil {
		t.Errorf("two machines: %+v", e)
	}
	named := []string{"combine", "--lang", "zh"}
	for i, dir := range unknown {
		named = append(named, "--machine", fmt.Sprintf("node%d=%s", i/2, dir))
	}
	if code, out, errs = tareSays(named...); code != exitDone || !strings.Contains(out, "3 台机器") || !strings.Contains(out, "node2") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
	other := runOn(t, "machine9", 9, .1, "measure: 20s", "measure: 30s")
	for _, c := range []struct {
		args []string
		says string
	}{
		{dirs[:1], "needs 2 arguments or more"},
		{[]string{dirs[0], dirs[0]}, "are the same run"},
		{[]string{dirs[0], other}, "protocol.measure differs"},
		{[]string{dirs[0], unknown[0]}, "--machine node1=" + unknown[0]},
		{[]string{"--machine", "node1"}, "is not NAME=DIR"},
		{[]string{"--machine", "a=" + dirs[0], dirs[1]}, "takes no argument"},
		{[]string{dirs[0], t.TempDir()}, "tare: "},
		{append(slices.Clone(dirs[:2]), "-o", "html"), "use text or json"},
		{append(slices.Clone(dirs[:2]), "--lang", "tlh"), "the languages are en, zh"},
	} {
		if code, out, errs := tareSays(append([]string{"combine"}, c.args...)...); code == exitDone || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: %d, %q, %q", c.args, code, out, errs)
		}
	}
}
