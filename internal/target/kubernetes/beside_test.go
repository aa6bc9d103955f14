package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/target"
)

// TestBesideOthers: a server that may be on several nodes prefers the node of the run's others, and one with servers
// that are up; it is never kept from another one. An arm that names its node prefers nothing.
func TestBesideOthers(t *testing.T) {
	of := func(set Settings, beside string) *corev1.Affinity {
		s := &server{target: offline(set), request: target.Request{Name: "t1", Beside: beside}}
		return s.podSpec().Affinity
	}
	if a := of(Settings{Image: "m", Node: "n1"}, "n2"); a != nil {
		t.Errorf("an arm that names its node: %v", a)
	}
	first := of(Settings{Image: "m"}, "")
	if first.NodeAffinity != nil || len(first.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		t.Errorf("the first server: %v", first)
	}
	up := first.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	if len(up) != 1 || up[0].PodAffinityTerm.TopologyKey != corev1.LabelHostname || up[0].PodAffinityTerm.LabelSelector.MatchLabels[roleLabel] != serverRole {
		t.Errorf("beside servers that are up: %v", up)
	}
	next := of(Settings{Image: "m", NodeSelector: map[string]string{"pool": "a"}}, "n2").NodeAffinity
	if next.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		t.Errorf("a node is required: %v", next)
	}
	if p := next.PreferredDuringSchedulingIgnoredDuringExecution; len(p) != 1 || p[0].Preference.MatchFields[0].Values[0] != "n2" {
		t.Errorf("the node of the run's servers: %v", p)
	}
}

// TestLoadsBesideOthers: the load pods of a run prefer one node, that of the pods before them or of those that are up, unless
// clientNode names one.
func TestLoadsBesideOthers(t *testing.T) {
	of := func(set Settings) *corev1.Affinity {
		set.Image, set.Clients, set.ClientImage = "m", 1, "t"
		k := offline(set)
		k.cluster = &cluster{namespace: "tare"}
		s := &server{target: k, request: target.Request{Name: "t1", LoadBeside: "n2"}}
		return s.loaders().job(0).Spec.Template.Spec.Affinity
	}
	if a := of(Settings{ClientNode: "n1"}); a != nil {
		t.Errorf("with clientNode: %v", a)
	}
	a := of(Settings{})
	up, at := a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	if len(up) != 1 || up[0].PodAffinityTerm.LabelSelector.MatchLabels[roleLabel] != loadRole || len(at) != 1 || at[0].Preference.MatchFields[0].Values[0] != "n2" {
		t.Errorf("without: %v", a)
	}
}
