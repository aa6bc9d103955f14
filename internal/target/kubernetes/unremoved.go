package kubernetes

// What an arm, or the load of all arms, has made in its cluster and not removed. An API server that does not answer cannot be asked for it.

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/tarebench/tare/internal/target"
)

// holdings are the objects of whatever one connection serves.
type holdings struct {
	mu        sync.Mutex
	arm       string // the label of the objects; "": there are none
	namespace string
	pod       string   // of the server; "": none is up, or its name is not known yet
	instances []string // the trials whose server is a pod
}

// makes notes an object before it is made: of a request without an answer it is not known what it did. Those of a run inside
// the cluster are not of an arm.
func (h *holdings) makes(namespace string, object runtime.Object) {
	about, err := meta.Accessor(object)
	if err != nil || about.GetLabels()[armLabel] == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.arm == "" { // the first are in the arm's own namespace, those of probes later
		h.arm, h.namespace = about.GetLabels()[armLabel], namespace
	}
}

// starts notes that a trial's server is a pod.
func (h *holdings) starts(instance, pod string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.instances, h.pod = append(h.instances, instance), pod
}

// ends notes that the pod is gone. The instance stays one of a pod: its directory is removed after this.
func (h *holdings) ends() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pod = ""
}

// removed notes that nothing is left.
func (h *holdings) removed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arm = ""
}

// unremoved is that of [target.Capabilities].
func (c *cluster) unremoved() target.Unremoved {
	if c == nil {
		return target.Unremoved{}
	}
	h := c.holds
	h.mu.Lock()
	defer h.mu.Unlock()
	return target.Unremoved{
		Kubeconfig: c.at.Kubeconfig, Context: c.at.Context, Namespace: h.namespace,
		Arm: h.arm, Pod: h.pod, Instances: append([]string(nil), h.instances...),
	}
}
