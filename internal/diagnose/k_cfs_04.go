package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCFS04() Rule {
	return Rule{
		ID: "K-CFS-04", Title: "The CPU limit is just below the size of the node", Severity: Warning, Needs: []Need{needNode()},
		What: "The server runs on all CPUs but has not quite all of each period, so that every 100 ms may end with all CPUs standing still for a " +
			"moment, and up to 1 ms of quota stays unused on each CPU.",
		Impact:  "By arithmetic (CPUs - limit) / CPUs and at most 1 % more on a fixed kernel: 0.9 % for 55.5 of 56. It explains the smaller part of the 12 % in Percona 2019.",
		Fix:     "The whole number below it on a node that pins CPUs, or no CPU limit on a node of the database's own.",
		Sources: []string{k8sCM, percona2019},
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
			return list(confirmed(limit.At.Spot(), "%s of %s CPUs: every period may end with a stop of all CPUs", manifest.CPUs(limit.Value), manifest.CPUs(cpus.Value)).
				fix("cpu: \"%d\"", limit.Value/1000))
		},
	}
}
