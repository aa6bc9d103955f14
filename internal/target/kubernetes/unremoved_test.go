package kubernetes

import (
	"slices"
	"sync"
	"testing"
)

// TestLeftNow: an arm's objects are known until all of them are removed, with the pod of its server while that is up. What is
// cleaned is told object by object, each once.
func TestLeftNow(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	k := armOf(t, kubeconfig)
	of := func() (found []Unremoved) {
		return slices.DeleteFunc(LeftNow(), func(u Unremoved) bool { return u.Arm != k.id })
	}
	if len(of()) > 0 {
		t.Error(of())
	}
	leave(t, k)
	if got, want := of(), (Unremoved{Where{kubeconfig, "", "tare"}, k.id, k.id + "-0"}); len(got) != 1 || got[0] != want || !IsPod("trial-1") {
		t.Errorf("%+v, want %+v", got, want)
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
	if len(of()) > 0 {
		t.Errorf("after the release: %+v", of())
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
