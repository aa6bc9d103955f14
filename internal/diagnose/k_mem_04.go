package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kMEM04() Rule {
	return Rule{
		ID: "K-MEM-04", Title: "Database memory may be swapped out (LimitedSwap)", Severity: Warning, Needs: []Need{needKubelet()},
		What: "With swapBehavior: LimitedSwap, a Burstable container may use swap in proportion to its memory request. A buffer pool page in swap turns a " +
			"memory access into a disk read.",
		Impact:  "Random latency spikes. A run with swap-ins is not a valid measurement.",
		Fix:     "Set the memory request equal to the limit (the container then gets no swap), or use swapBehavior: NoSwap on database nodes.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			swap := c.Kubelet.Value.Get("memorySwap", "swapBehavior")
			r, l := c.DB.Server.Request("memory"), c.DB.Server.Limit("memory")
			if swap.Text() != "LimitedSwap" || c.DB.Pod.QoS() != manifest.Burstable || !r.Positive() || l.Positive() && r.Value == l.Value || critical(c) {
				return nil
			}
			return list(confirmed(swap.Spot(), "LimitedSwap, and %s is Burstable with a memory request below its limit", c.DB.Title()).fix("requests.memory equal to limits.memory"))
		},
	}
}

// critical pods get no swap, nor do containers without a memory request, whose share of it is nothing
// (kubelet, GetContainerSwapBehavior).
func critical(c *Case) bool {
	return strings.HasPrefix(c.DB.Pod.Spec.Get("priorityClassName").Text(), "system-")
}
