package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestScopeNamesTheServers: the processor of tare's machine is not given as that of the servers, which are on a node of a
// cluster or with somebody else.
func TestScopeNamesTheServers(t *testing.T) {
	own := map[string]string{keys.HostCPUModel: "Ryzen", keys.HostCPUCount: "8"}
	on := func(more ...string) map[string]string {
		all := map[string]string{}
		for k, v := range own {
			all[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	const unread = "its CPU model and kernel are not known: nodes may not be read"
	for _, c := range []struct {
		target string
		trials []map[string]string
		want   string
	}{
		{"process", []map[string]string{own}, "one machine (Ryzen, 8 CPUs)"},
		{"process", []map[string]string{{}}, "one machine"},
		{"kubernetes", []map[string]string{on(keys.PodNode, "n3", keys.LoadPodPrefix+"0.node", "n1")}, "servers on node n3 (" + unread + "), tare's machine (Ryzen, 8 CPUs)"},
		{"kubernetes", []map[string]string{on(keys.PodNode, "n3", keys.NodeKernel, "6.1", keys.NodeAllocatableCPU, "3920m", keys.PodInstanceType, "m5.xlarge")},
			"servers on node n3 (m5.xlarge, allocatable CPU 3920m, kernel 6.1), load generator's machine (Ryzen, 8 CPUs)"},
		{"kubernetes", []map[string]string{on(keys.PodNode, "n3", keys.NodeAllocatableCPU, "3920m")}, "servers on node n3 (allocatable CPU 3920m, its kernel is not known), load generator's machine (Ryzen, 8 CPUs)"},
		{"kubernetes", []map[string]string{on(keys.PodNode, "n1", keys.GateServer, "here"), on(keys.PodNode, "n1", keys.GateServer, "here")}, "servers on node n1 (tare's machine: Ryzen, 8 CPUs)"},
		{"kubernetes", []map[string]string{on(keys.PodNode, "n1", keys.GateServer, "here"), on(keys.PodNode, "n2", keys.GateServer, "elsewhere")},
			"servers on node n1 (" + unread + "), servers on node n2 (" + unread + "), load generator's machine (Ryzen, 8 CPUs)"},
		{"external", []map[string]string{own}, "servers that ran already (their machines are not known), load generator's machine (Ryzen, 8 CPUs)"},
	} {
		run := &record.Run{Experiment: &experiment.Experiment{Arms: experiment.Arms{{Name: "a", Target: c.target}}}}
		for _, said := range c.trials {
			trial := &record.Trial{Header: record.Header{Arm: "a"}}
			for k, v := range said {
				trial.Facts = append(trial.Facts, record.Fact{Key: k, Value: v, Phase: "start"})
			}
			run.Trials = append(run.Trials, trial)
		}
		doc := &Document{Environment: environment(run), place: placeOf(run)}
		if got := doc.scope(); !strings.HasPrefix(got, "Scope: "+c.want+", ") {
			t.Errorf("%s %v: %s, want %s", c.target, c.trials, got, c.want)
		}
	}
}

// TestLayersOfTheTarget: the next step names layers that the arm's target has, or the settings in which the two arms differ;
// there is none where one setting differs, or for a server that someone else runs.
func TestLayersOfTheTarget(t *testing.T) {
	for arms, want := range map[string]string{
		"a: {target: process}\n  b: {target: container}":                                                                       "tare list layers",
		"a: {target: process}\n  b: {target: kubernetes}":                                                                      "service: {address: service}",
		"a: {target: kubernetes}\n  b: {target: kubernetes, clientNode: n2}":                                                   "",
		"a: {target: kubernetes}\n  b: {target: kubernetes, clientNode: n2, address: service}":                                 "clientnode: {clientNode: n2}\n    address: {address: service}",
		"a: {target: external, host: db1, credentials: {file: c}}\n  b: {target: external, host: db2, credentials: {file: c}}": "",
	} {
		doc := &Document{
			ExperimentYAML: "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nbaseline: a\narms:\n  " + arms + "\n",
			Contrasts:      []Contrast{{Arm: "b", Baseline: "a", Verdict: "costs"}},
		}
		for _, line := range strings.Split(arms, "\n") {
			name, of, _ := strings.Cut(strings.TrimSpace(line), ": {target: ")
			target, _, _ := strings.Cut(strings.TrimSuffix(of, "}"), ",")
			doc.Arms = append(doc.Arms, Arm{Name: name, Target: target})
		}
		steps := doc.findLayer()
		if want == "" {
			if len(steps) > 0 {
				t.Errorf("%s: %+v", arms, steps)
			}
			continue
		}
		if len(steps) != 1 || !strings.Contains(steps[0].Command, want) {
			t.Errorf("%s: %+v", arms, steps)
		}
	}
}
