package diagnose

import (
	"strings"
)

func kNET15() Rule {
	return Rule{
		ID: "K-NET-15", Title: "A service mesh's proxy is in the way of every query", Severity: Warning, Needs: []Need{needPod()},
		What: "Each message of the database passes the proxy on both sides. MySQL speaks first on a connection, which can hold up a proxy that waits to " +
			"learn the protocol.",
		Impact:  "Istio states about 0.20 CPU and 60 MB for each 1000 requests a second of a sidecar, 0.06 CPU of an ambient proxy (1.24).",
		Fix:     "traffic.sidecar.istio.io/excludeInboundPorts: \"3306,33060,33061,4444,4567,4568\" on the pod, the same for outbound on clients; or no mesh on it.",
		Sources: []string{istioCost},
		Check: func(c *Case) []Finding {
			at, on, why := injected(c)
			if why != "" {
				return list(unknown("%s", why))
			}
			excluded := c.DB.Pod.Meta.Get("annotations", "traffic.sidecar.istio.io/excludeInboundPorts")
			skipped := c.DB.Pod.Meta.Get("annotations", "config.linkerd.io/skip-inbound-ports")
			if !on || strings.Contains(excluded.Text(), "3306") || strings.Contains(skipped.Text(), "3306") {
				return nil
			}
			return list(confirmed(at.Spot(), "a mesh proxy is injected and port 3306 is not excluded").fix("traffic.sidecar.istio.io/excludeInboundPorts: \"3306\" on the pod template"))
		},
	}
}
