package kubernetes

// What is left of an arm when tare was killed while it removed it.

import (
	"slices"
	"strings"
	"testing"
)

// TestOwnerOfHalfRemovedArm: the pod of a StatefulSet that is already deleted says nothing of whose it
// is, and comes before the objects that do.
func TestOwnerOfHalfRemovedArm(t *testing.T) {
	g := &guarded{}
	k := armOf(t, guardedCluster(t, g))
	leave(t, k)
	if err := k.cluster.remove(t.Context(), statefulSets, k.id); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	g.objects["/api/v1/namespaces/tare/pods/"+k.id+"-0"] = map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": k.id + "-0", "labels": map[string]any{armLabel: k.id}},
	}
	g.mu.Unlock()
	arms, err := k.cluster.arms(t.Context())
	i := slices.IndexFunc(arms, func(a leftArm) bool { return a.id == k.id })
	if err != nil || i < 0 || arms[i].owner != k.owner || arms[i].note.PID == 0 {
		t.Errorf("%+v, %v; the owner is %s", arms, err, k.owner)
	}
}

// TestTellArms: what may be left by a lost pod of a run is named, with how to remove it; an empty namespace is silent.
func TestTellArms(t *testing.T) {
	k := armOf(t, guardedCluster(t, &guarded{}))
	r := &Remote{cluster: k.cluster}
	var empty, left strings.Builder
	if err := r.TellArms(t.Context(), &empty); err != nil || empty.String() != "" {
		t.Errorf("%q, %v", empty.String(), err)
	}
	leave(t, k)
	if err := r.TellArms(t.Context(), &left); err != nil || !strings.Contains(left.String(), k.id) || !strings.Contains(left.String(), "tare clean --namespace tare") {
		t.Errorf("%q, %v", left.String(), err)
	}
}
