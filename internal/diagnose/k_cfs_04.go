package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCFS04() Rule {
	return Rule{
		ID: "K-CFS-04", Title: "CPU limit just below the node's size: may be throttled at the end of every CFS period", Severity: Warning, Needs: []Need{needNode()},
		What: "The server runs on all CPUs of the node, but its quota is slightly less than a full CFS period on all of them. All CPUs may be throttled " +
			"together at the end of every 100 ms, and up to 1 ms of quota stays unused on each CPU.",
		Impact: "(CPUs - limit) / CPUs, and at most 1 % more on a fixed kernel: 0.9 % for 55.5 of 56 CPUs (computed). This explains the smaller part of the " +
			"12 % in Percona 2019.",
		Fix:     "Use the whole number of CPUs below the limit on a node with the static CPU manager (no CFS quota from Kubernetes 1.33 on), or remove the CPU limit on a dedicated node.",
		Sources: []string{k8sCM, percona2019, quotaPinned},
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.CPULimit()
			cpus := c.Node.Capacity("cpu")
			if !limited {
				return nil
			}
			if !cpus.Set {
				return list(unknown("%s has no status.capacity.cpu", c.Node.Object.Name))
			}
			left := cpus.Value - limit.Value
			if left <= 0 || left >= 1000 {
				return nil
			}
			return list(confirmed(limit.At.Spot(), "CPU limit %s on a node with %s CPUs: all CPUs may be throttled at the end of every CFS period", manifest.CPUs(limit.Value), manifest.CPUs(cpus.Value)).
				fix("cpu: \"%d\"", limit.Value/1000))
		},
	}
}
