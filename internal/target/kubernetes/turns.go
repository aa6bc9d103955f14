package kubernetes

// What a pod is in a run by slices: its server is up beside those of the other arms, and has no load
// between its turns. To freeze it would take root on its node.

import (
	"time"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// cfsPeriod is that of a pod's CPU quota unless the kubelet is told otherwise (cpuCFSQuotaPeriod,
// KubeletConfiguration).
const cfsPeriod = 100 * time.Millisecond

// memories are those of the layers of the arm's pod. A pod without a limit of its own can have one all the same: a
// LimitRange sets defaults, and an operator or the user's manifests have theirs.
func (k *Kubernetes) memories() []layer.Memory {
	quota := layer.ElsewhereMemory()
	if k.settings.CPU != 0 {
		quota = layer.QuotaMemory(cfsPeriod)
	}
	all := []layer.Memory{layer.CacheMemory(), quota}
	if n := k.settings.Neighbour; n != nil {
		all = append(all, layer.WeightMemory())
		if n.Disk > 0 {
			all = append(all, layer.WriteMemory())
		}
	}
	return all
}

// Codes of what keeps two databases from being up at once.
const (
	soleManifests   = "sole-manifests"    // the objects have the names that the user gave them
	soleHostNetwork = "sole-host-network" // the servers have one port on their node
	soleCPU         = "sole-cpu"          // cpu: max is what a node has left, which the other servers change
)

// sole is why no second database like the arm's can be up beside it, "" where it can.
func (k *Kubernetes) sole() string {
	s := k.settings
	switch {
	case s.isOperator():
		return ""
	case s.isOwn():
		return soleManifests
	case s.HostNetwork || s.Bare:
		return soleHostNetwork
	case s.CPU == node.MaxCPU:
		return soleCPU
	}
	return ""
}

// program names what the server runs from. What an operator sets beside the experiment's options follows from
// its resource.
func (k *Kubernetes) program() string {
	s := k.settings
	if s.isOperator() {
		return "operator " + s.Operator + " " + s.Variant + " " + s.Resource + " " + s.Image
	}
	return "image " + s.Image
}

// findRoom keeps what the nodes can give to a server of the arm, for a round whose servers are up at once. Where
// nodes and pods may not be listed, it is not known.
func (k *Kubernetes) findRoom(found, forLoads []vacancy, want node.Resources) {
	s := k.settings
	k.room = &target.Room{Cluster: k.cluster.config.Host, CPU: int64(want.CPU), Memory: int64(want.Memory), Nodes: free(found)}
	if n := s.Neighbour; n != nil {
		asks := n.Requirements().Request
		k.room.CPU, k.room.Memory = k.room.CPU+int64(asks.CPU), k.room.Memory+int64(asks.Memory)
	}
	if s.loadsFromPods() && s.ClientCPURequest > 0 {
		k.room.Loads, k.room.LoadCPU, k.room.LoadNodes = s.generators(), int64(s.ClientCPURequest), free(forLoads)
	}
}

// free is what nodes can still give, without those that the scheduler would not look at.
func free(found []vacancy) map[string]target.Free {
	all := map[string]target.Free{}
	for _, v := range found {
		if v.closed == "" {
			left := v.free()
			all[v.node] = target.Free{CPU: int64(left.CPU), Memory: int64(left.Memory)}
		}
	}
	return all
}
