package diagnose

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kQOS01() Rule {
	return Rule{
		ID: "K-QOS-01", Title: "The pod's QoS class is BestEffort", Severity: Error, Needs: []Need{needResources()},
		What: "No container of the pod has a CPU or memory request or limit. The pod gets 2 CPU shares, the minimum, and a neighbour that requests one CPU gets " +
			"1024. These are cpu.shares of cgroup v1. The cpu.weight of cgroup v2 is 1 and 39, and with newer runtimes, which convert by another curve, 1 and about 100. When the node's CPUs are busy, the server gets almost no CPU time. When the node runs out of memory, the pod is evicted first, and the " +
			"kernel kills its processes first (oom_score_adj 1000).",
		Impact: "Mean throughput 44.6 % lower and median 52.2 % lower, with a variation of 26 % instead of 0.5 %: sysbench oltp_read_only on a node that " +
			"otherwise ran only system pods (Percona 2019). On an otherwise idle node there may be no loss.",
		Fix: "Set equal requests and limits for cpu and memory on every container of the pod, including init containers and sidecars. The pod is then " +
			"Guaranteed. The QoS class is set when a pod is created, so the pod must be recreated. `tare lint --node` computes how much fits on the node.",
		Sources: []string{percona2019, k8sQoS, cpuWeight},
		Check:   checkBestEffort,
	}
}

func checkBestEffort(c *Case) []Finding {
	if c.DB.Pod.QoS() != manifest.BestEffort {
		return nil
	}
	if c.DB.Ambiguous {
		return list(unknown("several LimitRanges of the files may set requests when the pod is created"))
	}
	if c.DB.Dropped.Exists() {
		return list(confirmed(c.DB.Dropped.Spot(), "kubelet %s does not know spec.resources of a pod (Kubernetes 1.34 enables them), and no container has requests or limits: the pod is BestEffort",
			c.Node.Info("kubeletVersion")).fix("set the same values as resources of the containers"))
	}
	f := confirmed(c.server(), "no container has CPU or memory requests or limits: the pod is BestEffort").change("{qos: Guaranteed, cpu: max}")
	if c.Node == nil {
		return list(f.fix("%s: equal requests and limits for cpu and memory, of what the server needs, and the same for every other container: the pod is then Guaranteed (--node NODE.yaml computes the maximum)",
			c.resourcesPath()))
	}
	cpu, memory := fit(c)
	if cpu == "0" || strings.HasPrefix(memory, "0") {
		return list(f.fix("%s: equal requests and limits for cpu and memory, of what the server needs, on another node: %s has no room for a whole CPU and its memory", c.resourcesPath(), c.Node.Object.Name))
	}
	f = f.proposeResources(c, cpu, memory)
	return list(f.oneOf(phrase("%s: equal requests and limits for cpu and memory, at most cpu %q and memory %s on %s, and the same for every other container", c.resourcesPath(), cpu, memory, c.Node.Object.Name),
		resources(phrase("%s: {requests: {cpu: %q, memory: %s}, limits: {cpu: %q, memory: %s}}, the maximum on %s in whole CPUs: the pod is then Guaranteed",
			c.resourcesPath(), cpu, memory, cpu, memory, c.Node.Object.Name), "requests.cpu", cpu, "limits.cpu", cpu, "requests.memory", memory, "limits.memory", memory)))
}

// proposeResources writes the resources of a pod whose only container is the server,
// once a run has shown that they help: on several the class depends on all of them, and
// how much each is to have is not in the files.
func (f Finding) proposeResources(c *Case, cpu, memory string) Finding {
	if c.DB.Operator != "" || len(c.DB.Pod.Containers) != 1 {
		return f
	}
	edits, err := c.DB.Server.Value.Patch(fmt.Sprintf("{resources: {requests: {cpu: %q, memory: %s}, limits: {cpu: %q, memory: %s}}}", cpu, memory, cpu, memory))
	if err == nil { // an anchor or a list is for the user to write
		f.Proposed = append(f.Proposed, edits...)
	}
	return f
}
