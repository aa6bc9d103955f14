package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kCFS05() Rule {
	return Rule{
		ID: "K-CFS-05", Title: "Exec probes use the server's CPU quota", Severity: Note, Needs: []Need{needPod(), needResources()},
		What: "An exec probe runs its command in the container's cgroup. A mysql client that connects uses tens of milliseconds of the server's CPU quota " +
			"at every probe.",
		Impact:  "Additional throttling at every probe when the CPU limit is 1 or less.",
		Fix:     "Increase periodSeconds to 10 or more, or use a tcpSocket probe.",
		Sources: []string{k8sProbes, k8sCM},
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.CPULimit()
			if !limited || limit.Value > 1000 {
				return nil
			}
			var all []Finding
			for _, kind := range []string{"livenessProbe", "readinessProbe"} {
				p := c.DB.Server.Value.Get(kind)
				period := p.Get("periodSeconds")
				if p.Get("exec").Exists() && period.Int(10) < 6 {
					all = append(all, hint(period.Spot(), "%s runs a command every %d s with a CPU limit of %s", kind, period.Int(10), manifest.CPUs(limit.Value)).
						fix("periodSeconds: 10").edit(period.Spot(), "10"))
				}
			}
			return all
		},
	}
}
