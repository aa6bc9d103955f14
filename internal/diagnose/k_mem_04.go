package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kMEM04() Rule {
	return Rule{
		ID: "K-MEM-04", Title: "The server may be swapped out", Severity: Warning, Needs: []Need{needKubelet()},
		What: "Under LimitedSwap a Burstable container may use swap in proportion to its memory request. A page of the buffer pool on disk turns a hit " +
			"into a read, and a run with swap-ins is no measurement.",
		Fix:     "Request equal to limit (no swap is given then), or swapBehavior: NoSwap on nodes for databases.",
		Sources: []string{k8sCM},
		Check: func(c *Case) []Finding {
			swap := c.Kubelet.Value.Get("memorySwap", "swapBehavior")
			r, l := c.DB.Server.Request("memory"), c.DB.Server.Limit("memory")
			if swap.Text() != "LimitedSwap" || c.DB.Pod.QoS() != manifest.Burstable || l.Positive() && r.Value == l.Value {
				return nil
			}
			return list(confirmed(swap.Spot(), "LimitedSwap, and %s is Burstable with a memory request below its limit", c.DB.Title()).fix("requests.memory equal to limits.memory"))
		},
	}
}
