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
	pods   []*Object
}

// NodeOf is the node of a set; nil where there is none. Pods that are bound to
// it count as taken, and those that have ended do not.
func NodeOf(s *Set) *Node {
	o := s.Find("Node", "")
	if o == nil {
		return nil
	}
	n := &Node{Object: o}
	for _, p := range s.All("Pod") {
		phase := p.Value.Get("status", "phase").Text()
		if on := p.Value.Get("spec", "nodeName").Text(); on != o.Name || phase == "Succeeded" || phase == "Failed" {
			continue
		}
		n.pods = append(n.pods, p)
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

// Taken is what the node's pods request, except those that the database replaces.
func (n *Node) Taken(name string, d *Database) int64 {
	var sum int64
	for _, p := range n.pods {
		if !d.replaces(p) {
			sum += podAt(p.Value).Requests(name)
		}
	}
	return sum
}

// Free is what is left for each pod of the database: those that run on the node are replaced
// one after the other, and at the end as many new ones are there.
func (n *Node) Free(name string, d *Database) int64 {
	return (n.Allocatable(name).Value - n.Taken(name, d)) / max(1, n.Replaced(d))
}

// Replaced is how many of the node's pods the database replaces.
func (n *Node) Replaced(d *Database) (pods int64) {
	for _, p := range n.pods {
		if d.replaces(p) {
			pods++
		}
	}
	return pods
}

// replaces is whether a running pod ends before the one that is judged starts: the pod itself,
// one of a workload with the object's name, or one that has the labels of the operator's servers.
// A Deployment's ReplicaSet has a hash as the last part of its name. A namespace that a manifest
// leaves open is any.
func (d *Database) replaces(pod *Object) bool {
	o := d.Object
	if o.Namespace != "" && o.Namespace != pod.Namespace || surges(o) {
		return false
	}
	if o.Kind == pod.Kind && o.Name == pod.Name {
		return true
	}
	meta := pod.Value.Get("metadata")
	for _, owner := range meta.Get("ownerReferences").Items() {
		kind, name := owner.Get("kind").Text(), owner.Get("name").Text()
		if i := strings.LastIndexByte(name, '-'); kind == "ReplicaSet" && o.Kind == "Deployment" && i > 0 {
			kind, name = o.Kind, name[:i]
		}
		if kind == o.Kind && name == o.Name {
			return true
		}
	}
	for label, value := range d.labels {
		if meta.Get("labels", label).Text() != value {
			return false
		}
	}
	return len(d.labels) > 0
}

// surges is whether a Deployment starts a new pod while the old one runs: it does unless it is
// told otherwise (Kubernetes documentation, Deployments, "Max Surge": 25 %, rounded up).
func surges(o *Object) bool {
	strategy := o.Value.Get("spec", "strategy")
	surge := strings.TrimSuffix(strategy.Get("rollingUpdate", "maxSurge").Text(), "%")
	return o.Kind == "Deployment" && strategy.Get("type").Text() != "Recreate" && surge != "0"
}

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

// Size writes bytes in the largest unit that leaves them exact, a binary one where one does, or in MiB.
func Size(bytes int64) string {
	for _, u := range []struct {
		bytes int64
		name  string
	}{{1e9, "G"}, {1e6, "M"}} {
		if bytes >= u.bytes && bytes%u.bytes == 0 && bytes%mib != 0 {
			return fmt.Sprintf("%d%s", bytes/u.bytes, u.name)
		}
	}
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "Ti"}, {30, "Gi"}, {20, "Mi"}} {
		if bytes >= 1<<u.shift && bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d%s", bytes>>u.shift, u.name)
		}
	}
	for _, u := range []struct {
		unit int64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if bytes >= u.unit && bytes%u.unit == 0 {
			return fmt.Sprintf("%d%s", bytes/u.unit, u.name)
		}
	}
	if bytes >= mib {
		return fmt.Sprintf("%.0fMi", float64(bytes)/mib)
	}
	if bytes >= 1024 && bytes%1024 == 0 {
		return fmt.Sprintf("%dKi", bytes/1024)
	}
	return fmt.Sprint(bytes)
}

// MySize writes bytes as an option file does: 96G.
func MySize(bytes int64) string { return strings.TrimSuffix(Size(bytes/mib*mib), "i") }
