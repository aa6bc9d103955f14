package kubernetes

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestWaitIsToldOnce: what a start waits for is told when it has been the same for a while, once, and again
// when it has become something else.
func TestWaitIsToldOnce(t *testing.T) {
	begun := time.Unix(0, 0)
	for _, c := range []struct {
		name string
		saw  []string // one a second
		told []int    // in these seconds
	}{
		{"nothing", slices.Repeat([]string{""}, 40), nil},
		{"short", append(slices.Repeat([]string{"no node"}, 9), slices.Repeat([]string{""}, 30)...), nil},
		{"long", slices.Repeat([]string{"no node"}, 40), []int{10}},
		{"two", append(slices.Repeat([]string{"no node"}, 15), slices.Repeat([]string{"no image"}, 15)...), []int{10, 25}},
		{"with a pause", slices.Concat(slices.Repeat([]string{"no node"}, 9), []string{""}, slices.Repeat([]string{"no node"}, 9)), nil},
	} {
		var w wait
		var told []int
		for i, what := range c.saw {
			if w.see(what, begun.Add(time.Duration(i)*time.Second)) {
				told = append(told, i)
			}
		}
		if !slices.Equal(told, c.told) {
			t.Errorf("%s: told at %v s, want %v", c.name, told, c.told)
		}
	}
}

// TestPending: a pod that does not run says what is missing, and one that runs says nothing.
func TestPending(t *testing.T) {
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0"}, Spec: corev1.PodSpec{NodeName: "n1"}}
		change(p)
		return p
	}
	container := func(s corev1.ContainerState) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: s}} }
	}
	for _, c := range []struct {
		name string
		pod  *corev1.Pod
		want string
	}{
		{"no pod", nil, ""},
		{"no node", pod(func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}
		}), "pod db-0 is not scheduled: 0/3 nodes are available"},
		{"image or volume", pod(container(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}})),
			"pod db-0 on node n1 does not run yet: its image is pulled and its volumes are attached"},
		{"init container", pod(container(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}})), ""},
		{"runs", pod(container(corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})), ""},
	} {
		if got := pending(c.pod); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
