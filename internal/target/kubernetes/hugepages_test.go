package kubernetes

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// TestHugePages: the server's container requests them and is bound to them, whatever
// else it requests, and no other container of the pod.
func TestHugePages(t *testing.T) {
	for _, set := range []Settings{
		{Image: "m", Volume: "hostPath", Node: "n1", CPURequest: 100, HugePages: 256 << 20},
		{Image: "m", QoS: node.Guaranteed, CPU: 1000, Memory: 1 << 30, HugePages: 256 << 20},
	} {
		s := &server{target: offline(set), request: target.Request{Name: "t1"}, requirements: set.requirements(0)}
		spec := s.podSpec()
		for name, l := range map[string]corev1.ResourceList{"requests": spec.Containers[0].Resources.Requests, "limits": spec.Containers[0].Resources.Limits} {
			if got := l[hugePagesResource]; got.String() != "256Mi" {
				t.Errorf("%s: %v", name, l)
			}
		}
		for _, c := range spec.InitContainers {
			if _, ok := c.Resources.Limits[hugePagesResource]; ok {
				t.Errorf("container %s takes huge pages", c.Name)
			}
		}
		if got := hugePagesTaken(corev1.Pod{Spec: spec}); got != 256<<20 {
			t.Errorf("the pod takes %v", got)
		}
	}
}

// TestHugePagesLeft: a node without enough is said with what to do.
func TestHugePagesLeft(t *testing.T) {
	if got := hugePagesOf(corev1.ResourceList{hugePagesResource: resource.MustParse("64Mi")}); got != 64<<20 {
		t.Errorf("64Mi is read as %v", got)
	}
	found := []vacancy{{node: "n2", hugePages: 64 << 20}, {node: "n1", closed: "it is cordoned", hugePages: 1 << 30}, {node: "n3"}}
	if err := (Settings{HugePages: 64 << 20}).checkHugePages(found); err != nil {
		t.Error(err)
	}
	if err := (Settings{}).checkHugePages(nil); err != nil {
		t.Error(err)
	}
	err := (Settings{HugePages: 256 << 20}).checkHugePages(found)
	if want := "hugepages-2Mi: 0 of 3 nodes have 256Mi of huge pages left (n1: it is cordoned, n2 has 64Mi, n3 has 0); reserve them on a node, sysctl -w vm.nr_hugepages=128"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
}
