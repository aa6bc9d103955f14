package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
)

func kQOS02() Rule {
	return Rule{
		ID: "K-QOS-02", Title: "CPU request missing or far below the CPU limit", Severity: Warning, Needs: []Need{needResources()},
		What: "When the node's CPUs are busy, the kernel divides CPU time in proportion to CPU requests. A request of 100m gets a tenth of the time that a " +
			"neighbour with a request of one CPU gets. A CPU limit guarantees nothing.",
		Impact:  "Lower throughput and higher p99 latency whenever other pods use the node's CPUs; no loss on an idle node.",
		Fix:     "Request the 95th percentile of the server's CPU use, or set the request equal to the limit.",
		Sources: []string{k8sCM},
		Check:   checkCPURequest,
	}
}

// smallCPURequest is a request in thousandths below which a server on a busy node is starved: a quarter of a CPU.
const smallCPURequest = 250

func checkCPURequest(c *Case) []Finding {
	if c.DB.Pod.QoS() != manifest.Burstable {
		return nil
	}
	r, l := c.DB.Server.Request("cpu"), c.DB.Server.Limit("cpu")
	switch {
	case c.DB.Pod.Resources.Exists():
		return list(unknown("requests are set for the whole pod; the files do not show how its containers share them"))
	case !r.Positive():
		return list(confirmed(c.server(), "container %s has no CPU request: on a busy node it gets 2 CPU shares (cpu.weight 1 in cgroup v2), a container that requests one CPU gets 1024 (cpu.weight 39, by newer runtimes 100)", c.DB.Server.Name).
			fix("set requests.cpu to the 95th percentile of the server's CPU use"))
	case !l.Positive() && r.Value < smallCPURequest:
		return list(confirmed(r.At.Spot(), "CPU request %s and no limit: on a busy node the server gets %s of the time that a container with a request of one CPU gets", manifest.CPUs(r.Value), fmt.Sprintf("%.0f %%", float64(r.Value)/10)).
			fix("set requests.cpu to the 95th percentile of the server's CPU use"))
	case l.Positive() && r.Value*2 < l.Value:
		return list(confirmed(r.At.Spot(), "CPU request %s, limit %s: on a busy node only the request counts", manifest.CPUs(r.Value), manifest.CPUs(l.Value)).
			oneOf(term("requests.cpu equal to limits.cpu"), resources(phrase("requests.cpu: %q, equal to the limit", l.At.Text()), "requests.cpu", l.At.Text())))
	}
	return nil
}
