package kubernetes

// The states of the server's pod, as the API server tells them.

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// watchSeconds is how long one request watches: less than a request of tare's may take.
const watchSeconds int64 = 20

// podState is the server's pod at a version of the API server's; nil where there is none.
type podState struct {
	pod     *corev1.Pod
	version string
}

// ip is the pod's address, "" where it has none.
func (s podState) ip() string {
	if s.pod == nil {
		return ""
	}
	return s.pod.Status.PodIP
}

// replaces tells that the container of the state before has ended: it has been started again, or its pod is gone or another
// one.
func (s podState) replaces(before podState, container string) bool {
	return s.pod == nil || before.pod == nil || s.pod.UID != before.pod.UID || restartsOf(s.pod, container) > restartsOf(before.pod, container)
}

// containerRuns tells whether a container of the pod runs.
func containerRuns(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == container && c.State.Running != nil
	})
}

// serverPods are those of the trial's StatefulSet.
func (s *server) serverPods() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: labels.Set(s.selects()).String()}
}

// listPod is the state of the pod now.
func (s *server) listPod(ctx context.Context) (podState, error) {
	found, err := s.target.cluster.scoped(pods).List(ctx, s.serverPods())
	if err != nil {
		return podState{}, err
	}
	state := podState{version: found.GetResourceVersion()}
	for _, u := range found.Items {
		if u.GetName() == s.podName() {
			state.pod, err = typed[corev1.Pod](u.Object)
		}
	}
	return state, err
}

// watch tells every state of the pod after one, as it comes, until tell returns true or ctx ends. A watch that ends is begun
// again where it was, or from the state then. The error is that pods may not be watched.
func (s *server) watch(ctx context.Context, from podState, tell func(podState) bool) error {
	for ctx.Err() == nil {
		if from.version == "" {
			now, err := s.listPod(ctx)
			if err != nil {
				_ = pause(ctx, pollEvery)
				continue
			}
			if from = now; tell(now) {
				return nil
			}
		}
		o := s.serverPods()
		o.ResourceVersion, o.TimeoutSeconds = from.version, new(watchSeconds)
		w, err := s.target.cluster.scoped(pods).Watch(ctx, o)
		if apierrors.IsForbidden(err) {
			return s.target.cluster.explain(err)
		}
		if err != nil {
			from.version = ""
			_ = pause(ctx, pollEvery)
			continue
		}
		var done bool
		from.version, done = s.tellAll(ctx, w, from.version, tell)
		w.Stop()
		if done {
			return nil
		}
	}
	return nil
}

// tellAll tells the states of one watch. It returns the last version, "" where that cannot be continued.
func (s *server) tellAll(ctx context.Context, w apiwatch.Interface, version string, tell func(podState) bool) (last string, done bool) {
	for {
		var e apiwatch.Event
		select {
		case <-ctx.Done():
			return version, true
		case next, more := <-w.ResultChan():
			if !more {
				return version, false
			}
			e = next
		}
		u, is := e.Object.(*unstructured.Unstructured)
		if e.Type == apiwatch.Error || !is {
			return "", false
		}
		version = u.GetResourceVersion()
		if u.GetName() != s.podName() {
			continue
		}
		state := podState{version: version}
		if e.Type != apiwatch.Deleted {
			pod, err := typed[corev1.Pod](u.Object)
			if err != nil {
				return "", false
			}
			state.pod = pod
		}
		if tell(state) {
			return version, true
		}
	}
}
