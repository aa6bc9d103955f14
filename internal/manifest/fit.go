package manifest

// This file says what fits on a node: allocatable less what others have taken.

import (
	"fmt"
	"strings"
)

// Node is a node as `kubectl get node NAME -o yaml` prints it, and what the pods
// on it (kubectl get pods -o yaml, in the same file) request.
type Node struct {
	Object *Object
	taken  map[string]int64
}

// NodeOf is the node of a set; nil where there is none. Pods that are bound to
// it count as taken, and those that have ended do not.
func NodeOf(s *Set) *Node {
	o := s.Find("Node", "")
	if o == nil {
		return nil
	}
	n := &Node{Object: o, taken: map[string]int64{}}
	for _, p := range s.All("Pod") {
		phase := p.Value.Get("status", "phase").Text()
		if on := p.Value.Get("spec", "nodeName").Text(); on != o.Name || phase == "Succeeded" || phase == "Failed" {
			continue
		}
		for _, name := range computed {
			n.taken[name] += podAt(p.Value).Requests(name)
		}
	}
	return n
}

// Allocatable is what the kubelet offers to pods: thousandths of a CPU, bytes.
func (n *Node) Allocatable(name string) Amount {
	return n.Object.Value.Get("status", "allocatable", name).Amount(name)
}

// Capacity is what the machine has.
func (n *Node) Capacity(name string) Amount {
	return n.Object.Value.Get("status", "capacity", name).Amount(name)
}

// Taken is what other pods on the node request.
func (n *Node) Taken(name string) int64 { return n.taken[name] }

// Free is what is left for a pod.
func (n *Node) Free(name string) int64 { return n.Allocatable(name).Value - n.taken[name] }

// Info is a field of status.nodeInfo: kernelVersion, kubeletVersion.
func (n *Node) Info(field string) string {
	return n.Object.Value.Get("status", "nodeInfo", field).Text()
}

// CPUs writes thousandths of a CPU as a manifest takes them: 56 or 55900m.
func CPUs(milli int64) string {
	if milli%1000 == 0 {
		return fmt.Sprint(milli / 1000)
	}
	return fmt.Sprint(milli) + "m"
}

// Size writes bytes in the largest binary unit that leaves it exact, or in MiB.
func Size(bytes int64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "Ti"}, {30, "Gi"}, {20, "Mi"}, {10, "Ki"}} {
		if bytes >= 1<<u.shift && bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d%s", bytes>>u.shift, u.name)
		}
	}
	if bytes >= mib {
		return fmt.Sprintf("%.0fMi", float64(bytes)/mib)
	}
	return fmt.Sprint(bytes)
}

// MySize writes bytes as an option file does: 96G.
func MySize(bytes int64) string { return strings.TrimSuffix(Size(bytes/mib*mib), "i") }
