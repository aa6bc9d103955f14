package kubernetes

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// TestPlace: the node is the one that the scheduler chose, and the pod is gone afterwards, also where its image cannot be
// pulled, nobody starts it, or it may not be made.
func TestPlace(t *testing.T) {
	size := node.Resources{CPU: 1200, Memory: 3 << 30}
	for _, c := range []struct {
		name  string
		g     *guarded
		image string
		want  string // the node, or a part of the error
		fails bool
	}{
		{"a node has the room", &guarded{}, "mysql:8.4", "n1", false},
		{"the image cannot be pulled", &guarded{noImage: true}, "mysql:9.9.9", "start a pod on node n1: ErrImagePull", true},
		{"the pod may not be made", &guarded{denied: scopedRight{"tare", right{"create", "", "pods", ""}}}, "mysql:8.4", "make a pod with 1200m CPU and 3Gi of memory, which finds a node: ", true},
	} {
		at := Where{Kubeconfig: guardedCluster(t, c.g), Namespace: "tare"}
		got, err := Place(t.Context(), at, c.image, size, func(string) {})
		if c.fails != (err != nil) || !c.fails && got != c.want {
			t.Errorf("%s: node %q, %v", c.name, got, err)
		}
		if c.fails && (!errors.As(err, &target.Unavailable{}) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		for path := range c.g.objects {
			if strings.Contains(path, "/pods/") {
				t.Errorf("%s: %s is left", c.name, path)
			}
		}
	}
}

// TestPlaceInterrupted: Ctrl-C while no kubelet starts the pod leaves nothing.
func TestPlaceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := &guarded{noKubelet: true}
	g.see = func(a asks) {
		if a.verb == "get" && a.resource == "pods" {
			cancel()
		}
	}
	at := Where{Kubeconfig: guardedCluster(t, g), Namespace: "tare"}
	if _, err := Place(ctx, at, "mysql:8.4", node.Resources{CPU: 100, Memory: 1 << 20}, func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	for path := range g.objects {
		if strings.Contains(path, "/pods/") {
			t.Errorf("%s is left", path)
		}
	}
}
