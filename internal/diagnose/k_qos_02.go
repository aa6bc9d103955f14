package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kQOS02() Rule {
	return Rule{
		ID: "K-QOS-02", Title: "The server's CPU request is far below its limit, or missing", Severity: Warning, Needs: []Need{needResources()},
		What: "When the node is busy the kernel divides the CPU by weight, and the weight follows from the request alone: 100m gives a tenth of " +
			"what a neighbour with one CPU gets. A limit promises nothing.",
		Fix:     "Request what the server uses at its busiest (the 95th percentile of its CPU use), or request the limit.",
		Sources: []string{k8sCM},
		Check:   checkCPURequest,
	}
}

func checkCPURequest(c *Case) []Finding {
	if c.DB.Pod.QoS() != manifest.Burstable {
		return nil
	}
	r, l := c.DB.Server.Request("cpu"), c.DB.Server.Limit("cpu")
	switch {
	case c.DB.Pod.Resources.Exists():
		return list(unknown("requests are set for the pod as a whole; how its containers divide them is not in the file"))
	case !r.Positive():
		return list(confirmed(c.server(), "container %s requests no cpu: on a busy node it gets 2 shares, where one requested CPU gets 1024", c.DB.Server.Name).
			fix("requests.cpu: what the server uses at its busiest"))
	case l.Positive() && r.Value*2 < l.Value:
		return list(confirmed(r.At.Spot(), "cpu: %s is requested and up to %s is used: on a busy node only the request counts", manifest.CPUs(r.Value), manifest.CPUs(l.Value)).
			fix("requests.cpu: %q, as the limit", l.At.Text()))
	}
	return nil
}
