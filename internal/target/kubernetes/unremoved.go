package kubernetes

// What this process has made in clusters and not removed. An API server that does not answer cannot be asked for it.

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// Unremoved are an arm's objects in a cluster.
type Unremoved struct {
	At  Where
	Arm string // the name that they have in common
	Pod string // of its server; "": none is up
}

// unremoved are those of this process, by Arm. instances are the trials whose servers are pods, by their names.
type unremoved struct {
	mu        sync.Mutex
	arms      map[string]Unremoved
	pods      map[string]string // of the arms' servers
	instances map[string]bool
}

var notRemoved = &unremoved{arms: map[string]Unremoved{}, pods: map[string]string{}, instances: map[string]bool{}}

// LeftNow are the objects that this process has made and not removed. Some may not be there: of a request without an answer it is not
// known what it did.
func LeftNow() []Unremoved {
	notRemoved.mu.Lock()
	defer notRemoved.mu.Unlock()
	var all []Unremoved
	for _, arm := range slices.Sorted(maps.Keys(notRemoved.arms)) {
		a := notRemoved.arms[arm]
		a.Pod = notRemoved.pods[arm]
		all = append(all, a)
	}
	return all
}

// IsPod tells whether the server of a trial of this process, by the name of its instance, is a pod.
func IsPod(instance string) bool {
	notRemoved.mu.Lock()
	defer notRemoved.mu.Unlock()
	return notRemoved.instances[instance]
}

// makes notes an object before it is made. Those of a run inside the cluster are not of an arm.
func (u *unremoved) makes(c *cluster, object runtime.Object) {
	about, err := meta.Accessor(object)
	if err != nil || about.GetLabels()[armLabel] == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	arm := about.GetLabels()[armLabel]
	if _, known := u.arms[arm]; !known { // the first are in the arm's own namespace, those of probes later
		u.arms[arm] = Unremoved{At: Where{c.at.Kubeconfig, c.at.Context, c.namespace}, Arm: arm}
	}
}

// starts notes that a trial's server is a pod, whose name is "" where it is not known yet.
func (u *unremoved) starts(arm, instance, pod string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.instances[instance], u.pods[arm] = true, pod
}

// ends notes that the pod is gone. The instance stays one of a pod: its directory is removed after this.
func (u *unremoved) ends(arm string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.pods, arm)
}

// removed notes that nothing is left of an arm.
func (u *unremoved) removed(arm string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.arms, arm)
}
