package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kMEM02() Rule {
	return Rule{
		ID: "K-MEM-02", Title: "MemoryQoS throttles memory allocation below the limit (memory.high)", Severity: Warning, Needs: []Need{needKubelet()},
		What: "With the feature gate MemoryQoS on cgroup v2, a container whose memory request is below its limit gets memory.high at 90 % of the range " +
			"between them. Above it every allocation waits for reclaim. Kernels before 5.9 can stop responding.",
		Impact:  "Stalls of every thread that allocates memory, before the limit is reached.",
		Fix:     "Set the request equal to the limit (then memory.high is not set), or disable the feature gate, or set memoryThrottlingFactor: 1.0.",
		Sources: []string{kep2570},
		Check: func(c *Case) []Finding {
			gate := c.Kubelet.Value.Get("featureGates", "MemoryQoS")
			r, l := c.DB.Server.Request("memory"), c.DB.Server.Limit("memory")
			if !gate.IsTrue() || !l.Positive() || r.Value == l.Value {
				return nil
			}
			return list(confirmed(r.At.Spot(), "MemoryQoS is enabled with a memory request of %s and a limit of %s: allocations are throttled from 90 %% of the range", manifest.Size(r.Value), manifest.Size(l.Value)).
				fix("requests.memory: %s, equal to the limit", l.At.Text()))
		},
	}
}
