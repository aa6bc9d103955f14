package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kALC03() Rule {
	return Rule{
		ID: "K-ALC-03", Title: "The memory request or limit exceeds the node's allocatable memory", Severity: Error, Needs: []Need{needNode()},
		What: "Allocatable memory is the machine's memory minus the kubelet's reservations and its eviction threshold. A pod whose request exceeds what is " +
			"left stays Pending. A limit above allocatable memory lets the kubelet evict the server when the node runs short.",
		Impact:  "The pod does not start, or is evicted under memory pressure.",
		Fix:     "Request at most the printed amount, and size the buffer pool from it.",
		Sources: []string{k8sCM, k8sKubelet},
		Check: func(c *Case) []Finding {
			if !c.Node.Allocatable("memory").Set {
				return list(unknown("%s has no status.allocatable.memory", c.Node.Object.Name))
			}
			asked, most := c.DB.Pod.Requests("memory"), room(c, "memory")
			if asked > c.Node.Free("memory", c.DB) {
				r := c.DB.Server.Request("memory")
				return list(confirmed(r.At.Spot(), "%s does not fit on %s: %s allocatable, %s already requested%s", manifest.Size(asked), c.Node.Object.Name,
					manifest.Size(c.Node.Allocatable("memory").Value), manifest.Size(c.Node.Taken("memory", c.DB)), several(c)).fix("memory: at most %dGi", max(most, 0)>>30))
			}
			if l := c.DB.Server.Limit("memory"); l.Positive() && l.Value > c.Node.Allocatable("memory").Value {
				return list(confirmed(l.At.Spot(), "the memory limit of %s exceeds the allocatable memory of %s (%s)", manifest.Size(l.Value), c.Node.Object.Name,
					manifest.Size(c.Node.Allocatable("memory").Value)).fix("memory: at most %dGi", max(most, 0)>>30))
			}
			return nil
		},
	}
}
