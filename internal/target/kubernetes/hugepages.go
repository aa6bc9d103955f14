package kubernetes

// Explicit huge pages, by Kubernetes' own name for them: they are reserved on the
// node, requested by the pod and used by a server with large_pages. Transparent ones,
// which hugePages of the target container is about, cannot be requested.

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

const (
	hugePagesField    = "hugepages-2Mi"
	hugePagesResource = corev1.ResourceName(corev1.ResourceHugePagesPrefix + "2Mi")
	hugePageSize      = 2 << 20
)

func (s Settings) hugePagesContradictions() []error {
	switch {
	case s.HugePages%hugePageSize != 0:
		return []error{target.Wrong(hugePagesField, "%v is not a whole number of pages of 2Mi", s.HugePages)}
	case s.HugePages != 0 && !s.asked():
		return []error{target.Wrong(hugePagesField, "only a pod that requests CPU or memory can have huge pages; write cpu and memory, or cpuRequest")}
	}
	return nil
}

// withHugePages adds them to what the server's container requests: Kubernetes wants
// request and limit to be the same, and needs no mount for pages that a process maps.
func (s Settings) withHugePages(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	if s.HugePages != 0 {
		r.Requests[hugePagesResource], r.Limits[hugePagesResource] = *bytesQuantity(s.HugePages), *bytesQuantity(s.HugePages)
	}
	return r
}

// HugePages is in bytes; 0 means none.
func (k *Kubernetes) HugePages() int64 { return int64(k.settings.HugePages) }

// hugePagesOf are those of an amount.
func hugePagesOf(l corev1.ResourceList) node.Bytes {
	q := l[hugePagesResource]
	return node.Bytes(q.Value())
}

// hugePagesTaken are what a pod has; an init container has given its own back.
func hugePagesTaken(p corev1.Pod) (sum node.Bytes) {
	for _, c := range p.Spec.Containers {
		sum += hugePagesOf(c.Resources.Requests)
	}
	return sum
}

// checkHugePages holds what is asked for against what nodes have left.
func (s Settings) checkHugePages(found []vacancy) error {
	if s.HugePages == 0 {
		return nil
	}
	var have []string
	for _, v := range found {
		if v.closed == "" && v.hugePages >= s.HugePages {
			return nil
		}
		says := fmt.Sprintf("%s has %v", v.node, v.hugePages)
		if v.closed != "" {
			says = v.node + ": " + v.closed
		}
		have = append(have, says)
	}
	slices.Sort(have)
	return target.Wrong(hugePagesField, "0 of %d nodes have %v of huge pages left (%s); reserve them on a node, sysctl -w vm.nr_hugepages=%d, and restart its kubelet, or ask for fewer",
		len(found), s.HugePages, strings.Join(have, ", "), s.HugePages/hugePageSize)
}
