package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/manifest"
)

func kMEM02() Rule {
	return Rule{
		ID: "K-MEM-02", Title: "MemoryQoS throttles memory allocation below the limit (memory.high)", Severity: Warning, Needs: []Need{needKubelet()},
		What: "With the feature gate MemoryQoS on cgroup v2, a container whose memory request is below its limit gets memory.high at 90 % of the range " +
			"between them, or at what memoryThrottlingFactor says. Without a limit the range ends at the allocatable memory of the node. Above memory.high " +
			"every allocation waits for reclaim. Kernels before 5.9 can stop responding.",
		Impact:  "Stalls of every thread that allocates memory, before the limit is reached.",
		Fix:     "Set the request equal to the limit (then memory.high is not set), or disable the feature gate, or set memoryThrottlingFactor: 1.0.",
		Sources: []string{kep2570},
		Check:   throttledAllocation,
	}
}

func throttledAllocation(c *Case) []Finding {
	if !c.Kubelet.Value.Get("featureGates", "MemoryQoS").IsTrue() {
		return nil
	}
	r, l := c.DB.Server.Request("memory"), c.DB.Server.Limit("memory")
	if l.Positive() && r.Value >= l.Value || !l.Positive() && !r.Positive() {
		return nil // memory.high is not set
	}
	factor, why := throttlingFactor(c.Kubelet.Value)
	switch {
	case !why.empty():
		return list(unknown("%s", why))
	case factor >= 1:
		return nil // at the limit
	case !l.Positive():
		f := hint(r.At.Spot(), "MemoryQoS is enabled with a memory request of %s and no limit: allocations are throttled from %.4g %% of the range between the request and the node's allocatable memory",
			manifest.Size(r.Value), 100*factor)
		ways := []way{resources(phrase("limits.memory: %s, equal to the request", r.At.Text()), "limits.memory", r.At.Text())}
		if server, _ := c.memoryOf(); limitFor(server) > r.Value {
			ways = append(ways, c.moreMemory(limitFor(server)))
		}
		return list(f.oneOf(term("limits.memory equal to requests.memory, of what the server needs"), ways...))
	}
	return list(confirmed(r.At.Spot(), "MemoryQoS is enabled with a memory request of %s and a limit of %s: allocations are throttled from %.4g %% of the range",
		manifest.Size(r.Value), manifest.Size(l.Value), 100*factor).oneOf(term("requests.memory and limits.memory of the same value, of what the server needs"),
		resources(phrase("requests.memory: %s, equal to the limit", l.At.Text()), "requests.memory", l.At.Text())))
}

// throttlingFactor is the part of the range between request and limit at which the kubelet sets
// memory.high (pkg/kubelet/apis/config/v1beta1/defaults.go).
func throttlingFactor(kubelet manifest.Value) (factor float64, why Phrase) {
	v := kubelet.Get("memoryThrottlingFactor")
	if !v.Exists() {
		return 0.9, Phrase{}
	}
	factor, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || !(factor > 0) {
		return 0, phrase("memoryThrottlingFactor is not a number above 0: %q", v.Text())
	}
	return factor, Phrase{}
}
