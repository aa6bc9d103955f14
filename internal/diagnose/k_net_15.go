package diagnose

import (
	"strconv"
	"strings"
)

func kNET15() Rule {
	return Rule{
		ID: "K-NET-15", Title: "Service mesh proxy in the query path", Severity: Warning, Needs: []Need{needPod()},
		What: "Every packet of the database passes through a proxy on both sides. In the MySQL protocol the server sends first, which can delay connections " +
			"through a proxy that waits to detect the protocol.",
		Impact: "Istio states about 0.20 CPU and 60 MB per 1000 requests/s for a sidecar, 0.06 CPU for an ambient proxy (1.24).",
		Fix: "Set traffic.sidecar.istio.io/excludeInboundPorts: \"3306,33060,33061,4444,4567,4568\" on the pod and the outbound equivalent on clients, or " +
			"disable the mesh for the pod.",
		Sources: []string{istioCost},
		Check: func(c *Case) []Finding {
			at, on, why := injected(c)
			if !why.empty() {
				return list(unknown("%s", why))
			}
			excluded := c.DB.Pod.Meta.Get("annotations", "traffic.sidecar.istio.io/excludeInboundPorts")
			skipped := c.DB.Pod.Meta.Get("annotations", "config.linkerd.io/skip-inbound-ports")
			if !on || excludes(excluded.Text(), 3306) || excludes(skipped.Text(), 3306) {
				return nil
			}
			return list(confirmed(at.Spot(), "a mesh proxy is injected and port 3306 is not excluded").fix("traffic.sidecar.istio.io/excludeInboundPorts: \"3306\" on the pod template"))
		},
	}
}

// excludes is whether an annotation's list of ports has one, alone or within a range: Istio has ports,
// Linkerd ranges as well ("4567-4568").
func excludes(ports string, port int) bool {
	for item := range strings.SplitSeq(ports, ",") {
		first, last, many := strings.Cut(strings.TrimSpace(item), "-")
		if !many {
			last = first
		}
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to, worse := strconv.Atoi(strings.TrimSpace(last))
		if err == nil && worse == nil && from <= port && port <= to {
			return true
		}
	}
	return false
}
