package kubernetes

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/target"
)

// TestUnremoved: an arm's objects are known until all of them are removed, with the pod of its server while that is up. What is
// cleaned is told object by object, each once.
func TestUnremoved(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	k := armOf(t, kubeconfig)
	unremoved := k.Capabilities().Unremoved
	if got := unremoved(); got.Arm != "" {
		t.Error(got)
	}
	leave(t, k)
	want := target.Unremoved{Kubeconfig: kubeconfig, Namespace: "tare", Arm: k.id, Pod: k.id + "-0", Instances: []string{"trial-1"}}
	if diff := cmp.Diff(want, unremoved()); diff != "" {
		t.Error(diff)
	}
	var mu sync.Mutex
	var told []string
	k.cluster.deleted = eachOnce(func(object string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, object)
	})
	within, cancel := timeOfArm(t.Context(), k.id)
	defer cancel()
	if err := k.Release(within); err != nil {
		t.Fatal(err)
	}
	if got := unremoved(); got.Arm != "" {
		t.Errorf("after the release: %+v", got)
	}
	for _, want := range []string{"statefulset/" + k.id, "service/" + k.id, "secret/" + k.id, "persistentvolumeclaim/" + k.id} {
		if !slices.Contains(told, want) {
			t.Errorf("%s is not told: %q", want, told)
		}
	}
	if slices.Sort(told); len(slices.Compact(slices.Clone(told))) != len(told) {
		t.Errorf("told twice: %q", told)
	}
}

// TestSingular: objects have the names that kubectl gives their kinds.
func TestSingular(t *testing.T) {
	for resource, want := range map[string]string{"pods": "pod", "networkpolicies": "networkpolicy", "storageclasses": "storageclass", "innodbclusters": "innodbcluster", "serviceaccounts": "serviceaccount"} {
		if got := singular(resource); got != want {
			t.Errorf("%s: %s", resource, got)
		}
	}
}
