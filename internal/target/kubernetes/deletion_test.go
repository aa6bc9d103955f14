package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ending ends the time of an arm with a context; other arms have theirs.
func ending(over context.Context, arm string) limit {
	return func(ctx context.Context, id string) (context.Context, context.CancelFunc) {
		bounded, cancel := timeOfArm(ctx, id)
		if id != arm {
			return bounded, cancel
		}
		ended, end := context.WithCancelCause(bounded)
		context.AfterFunc(over, func() { end(context.Cause(over)) })
		return ended, cancel
	}
}

// deleted tells whether an object at this path, of which one is part, waits for its end. mu is held.
func (g *guarded) deleted(part string) bool {
	for path, object := range g.objects {
		if strings.Contains(path, part) && nested(object, "metadata")["deletionTimestamp"] != nil {
			return true
		}
	}
	return false
}

// TestStuckArm: an arm that cannot be removed is named with what keeps it, and the others are
// removed.
func TestStuckArm(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	first, second := armOf(t, kubeconfig), armOf(t, kubeconfig)
	leave(t, first)
	leave(t, second)
	over, end := context.WithCancelCause(t.Context())
	g.mu.Lock()
	g.kept = "/services/" + first.id
	seen := 0
	g.see = func(a asks) {
		if a.verb == "list" && a.resource == "services" && g.deleted(g.kept) {
			if seen++; seen == 2 { // its finalizers have been read once
				end(errors.New("the time is over"))
			}
		}
	}
	g.mu.Unlock()
	n, err := first.cluster.clean(t.Context(), true, ending(over, first.id), &bytes.Buffer{})
	if n != 1 || err == nil || !strings.Contains(err.Error(), "services "+first.id+" with the finalizers example.com/held") || !strings.Contains(err.Error(), "the time is over") {
		t.Errorf("%d removed, %v", n, err)
	}
	if left := g.of(second.id); len(left) > 0 {
		t.Errorf("left of the other arm: %v", left)
	}
}

// TestStuckProbePod: a probe pod on a node that does not answer keeps nothing else of its arm.
func TestStuckProbePod(t *testing.T) {
	g := &guarded{}
	k := armOf(t, guardedCluster(t, g))
	leave(t, k)
	over, end := context.WithCancelCause(t.Context())
	alone := func() bool {
		return !slices.ContainsFunc(g.paths(k.id), func(path string) bool { return !strings.Contains(path, g.kept) })
	}
	g.mu.Lock()
	g.kept = "/namespaces/tare-probe/pods/" + k.id
	seen := 0
	g.see = func(a asks) {
		if a.verb == "list" && a.namespace == "tare-probe" && g.deleted(g.kept) && alone() {
			if seen++; seen == 2 { // it has been read once
				end(errors.New("the time is over"))
			}
		}
	}
	g.mu.Unlock()
	n, err := k.cluster.clean(t.Context(), true, ending(over, k.id), &bytes.Buffer{})
	if want := "pods " + k.id + "-probe"; n != 0 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d removed, %v, want %q", n, err, want)
	}
	if left := g.of(k.id); len(left) != 1 || !strings.Contains(left[0], g.kept) {
		t.Errorf("left: %v", left)
	}
}

// TestPodOnDeadNode: whoever waits for a pod on a node that does not answer is told so, and the
// wait ends.
func TestPodOnDeadNode(t *testing.T) {
	g := &guarded{noKubelet: true}
	k := armOf(t, guardedCluster(t, g))
	k.settings.Volume, k.settings.Node = hostPathVolume, "n1"
	name := k.id + "-remove"
	want := "pod " + name + " is pending on node n1"
	for what, waits := range map[string]func(context.Context) error{
		"its directory is removed": k.removeHostPath,
		"it starts":                func(ctx context.Context) error { return k.cluster.started(ctx, name, fetchWithin, io.Discard) },
	} {
		if err := k.cluster.remove(t.Context(), pods, name); err != nil {
			t.Fatal(err)
		}
		if err := k.cluster.apply(t.Context(), pods, name, &corev1.Pod{TypeMeta: kind("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancelCause(t.Context())
		seen := 0
		g.mu.Lock()
		g.see = func(a asks) {
			if a.verb == "get" && a.name == name {
				if seen++; seen == 2 { // it has been read once
					end(errors.New("the time is over"))
				}
			}
		}
		g.mu.Unlock()
		if err := waits(ctx); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the time is over") {
			t.Errorf("until %s: %v, want %q", what, err, want)
		}
	}
	pod, err := get[corev1.Pod](t.Context(), k.cluster, pods, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.cluster.unstarted(t.Context(), pod, time.Second); !strings.Contains(err.Error(), "it did not run within 1s: "+want) {
		t.Errorf("%v, want %q", err, want)
	}
	if err := k.cluster.started(t.Context(), name, time.Nanosecond, io.Discard); err == nil || !strings.Contains(err.Error(), "it did not run within 1ns") {
		t.Errorf("the wait until it starts has no end: %v", err)
	}
}

// TestIdle: what is known of a pod that is waited for. The kubelet of one that runs has answered.
func TestIdle(t *testing.T) {
	for want, status := range map[string]corev1.PodStatus{
		"pod p is running on node n1 and has not ended":                        {Phase: corev1.PodRunning},
		"pod p is pending on node n1; the kubelet of that node may not answer": {Phase: corev1.PodPending},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{NodeName: "n1"}, Status: status}
		if got := idle(pod); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestStalledTransfer: an archive that stops coming ends the transfer and says why.
func TestStalledTransfer(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	from, to := io.Pipe()
	defer context.AfterFunc(ctx, func() { to.CloseWithError(context.Cause(ctx)) })()
	go func() { _, _ = io.WriteString(to, "half") }() // the end of the pipe ends it
	got, err := io.ReadAll(&watchedReader{from, 100 * time.Millisecond, cancel})
	if !errors.Is(err, errStalled) || stalled(ctx) != "the pod has stopped sending" {
		t.Errorf("%q, %v, %q", got, err, stalled(ctx))
	}
}

// TestServerIsRemovedBeforeItsDirectory: a server that still ran would write into what is removed,
// and the pod of an attempt that failed would be found as it is.
func TestServerIsRemovedBeforeItsDirectory(t *testing.T) {
	g := &guarded{}
	k := armOf(t, guardedCluster(t, g))
	leave(t, k)
	k.settings.Volume, k.settings.Node = hostPathVolume, "n1"
	if err := k.markHostPath(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := k.removeHostPath(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range g.of(k.id) {
		probe := strings.HasSuffix(path, "/pods/"+k.id+"-probe") // of another namespace
		if !probe && !strings.Contains(path, "/secrets/") && !strings.HasSuffix(path, "/pods/"+k.id+"-remove") {
			t.Errorf("there is still %s", path)
		}
	}
	if !slices.ContainsFunc(g.of(k.id), func(path string) bool { return strings.HasSuffix(path, hostPathSuffix) }) {
		t.Error("the Secret that stands for the directory is gone before it")
	}
}
