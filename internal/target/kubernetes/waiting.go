package kubernetes

// What a start waits for, told while it waits: a pod without a node, or an operator's database
// that is not ready, is nothing to find out at the end of `ready`.

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// tellAfter is how long a start waits for the same thing before it is told: every pod is without a
// node for a moment, until its volumes are bound.
const tellAfter = 10 * time.Second

// wait is what a start waits for, and since when.
type wait struct {
	what  string
	since time.Time
	told  bool
}

// see takes in what is waited for at now, "" for nothing in particular, and reports whether it
// is to be told: once, after it has been the same for tellAfter.
func (w *wait) see(what string, now time.Time) bool {
	if what != w.what {
		*w = wait{what: what, since: now}
	}
	if what == "" || w.told || now.Sub(w.since) < tellAfter {
		return false
	}
	w.told = true
	return true
}

// waits tells whoever asked for the server what its start waits for.
func (s *server) waits(w *wait, what string) {
	s.waitsWith(w, what, func() string { return "" })
}

// waitsWith is waits with more that is found out when it is told.
func (s *server) waitsWith(w *wait, what string, more func() string) {
	if w.see(what, time.Now()) && s.request.Waiting != nil {
		s.request.Waiting(what + more())
	}
}

// pending is what keeps a pod from running, "" where nothing is known: it has no node, or its
// container is being created, for which its image is pulled and its volumes are attached.
func pending(pod *corev1.Pod) string {
	if why := notScheduled(pod); why != "" || pod == nil {
		return why
	}
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && w.Reason == "ContainerCreating" {
			return fmt.Sprintf("pod %s on node %s does not run yet: its image is pulled and its volumes are attached", pod.Name, pod.Spec.NodeName)
		}
	}
	return ""
}
