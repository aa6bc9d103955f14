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
)

// TestStuckArm: an arm that cannot be removed is named with what keeps it, and the others are
// removed.
func TestStuckArm(t *testing.T) {
	g := &guarded{}
	kubeconfig := guardedCluster(t, g)
	first, second := armOf(t, kubeconfig), armOf(t, kubeconfig)
	leave(t, first)
	leave(t, second)
	g.mu.Lock()
	g.kept = "/services/" + first.id
	g.mu.Unlock()
	n, err := first.cluster.clean(t.Context(), true, 5*time.Second, &bytes.Buffer{})
	if n != 1 || err == nil || !strings.Contains(err.Error(), "services "+first.id+" with the finalizers example.com/held") || !strings.Contains(err.Error(), "not done within 5s") {
		t.Errorf("%d removed, %v", n, err)
	}
	if left := g.of(second.id); len(left) > 0 {
		t.Errorf("left of the other arm: %v", left)
	}
}

// TestPodOnDeadNode: whoever waits for a pod on a node that does not answer is told so, and the
// wait ends.
func TestPodOnDeadNode(t *testing.T) {
	g := &guarded{noKubelet: true}
	kubeconfig := guardedCluster(t, g)
	k := armOf(t, kubeconfig)
	k.settings.Volume, k.settings.Node = hostPathVolume, "n1"
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := k.removeHostPath(ctx)
	if want := "pod " + k.id + "-remove is pending on node n1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	err = k.cluster.started(t.Context(), k.id+"-remove", time.Second, io.Discard)
	if want := "it did not run within 1s: pod " + k.id + "-remove is pending on node n1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
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
