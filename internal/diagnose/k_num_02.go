package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kNUM02() Rule {
	return Rule{
		ID: "K-NUM-02", Title: "The pod is larger than one NUMA node (TopologyAffinityError)", Severity: Warning, Needs: []Need{needNode(), needKubelet()},
		What: "With topologyManagerPolicy: single-numa-node, the kubelet rejects a pod with exclusive CPUs (cpuManagerPolicy: static) that needs more " +
			"CPUs than one NUMA node has (TopologyAffinityError).",
		Impact:  "The pod does not start on this node.",
		Fix:     "Use topologyManagerPolicy restricted or best-effort with distribute-cpus-across-numa, or run two smaller servers.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			policy, cpu := c.Kubelet.Value.Get("topologyManagerPolicy"), c.DB.Server.Request("cpu")
			if policy.Text() != "single-numa-node" || !wholeCPUs(c) || c.Kubelet.Value.Get("cpuManagerPolicy").Text() != "static" {
				return nil // without exclusive CPUs no hint provider restricts the pod to a NUMA node
			}
			if cpu.Value*2 <= c.Node.Capacity("cpu").Value {
				return nil // half of the machine fits wherever there are two nodes
			}
			return list(hint(policy.Spot(), "%s of the %s CPUs of %s: with two or more NUMA nodes the pod is rejected", manifest.CPUs(cpu.Value),
				manifest.CPUs(c.Node.Capacity("cpu").Value), c.Node.Object.Name).fix("topologyManagerPolicy: restricted"))
		},
	}
}
