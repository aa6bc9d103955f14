package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kMEM01() Rule {
	return Rule{
		ID: "K-MEM-01", Title: "Memory limit missing or far above the request", Severity: Warning, Risk: true, Needs: []Need{needResources()},
		What: "Operators size the buffer pool from the memory limit; without one it stays at 128 MiB. Memory used above the request makes the pod a first " +
			"candidate for eviction, and the server restarts with an empty buffer pool.",
		Impact:  "A small buffer pool, or eviction when the node runs short of memory.",
		Fix:     "Set requests.memory equal to limits.memory, sized from the buffer pool (M-BP-02).",
		Sources: []string{pxcOperator, psOperator, k8sKubelet, k8sQuantity},
		Check: func(c *Case) []Finding {
			r, l := c.DB.Server.Request("memory"), c.DB.Server.Limit("memory")
			for _, a := range []manifest.Amount{r, l} {
				if text := a.At.Text(); a.Positive() && strings.HasSuffix(text, "m") {
					return list(confirmed(a.At.Spot(), "memory: %s is thousandths of a byte, and the pod does not start", text).as(Error).fix("%sMi, if mebibytes are meant", strings.TrimSuffix(text, "m")))
				}
			}
			switch {
			case c.DB.Pod.Resources.Exists() && !l.Positive():
				return list(unknown("memory is limited for the whole pod; the files do not show how its containers share it"))
			case c.DB.Pod.QoS() == manifest.BestEffort:
				return nil // K-QOS-01 says more
			case !l.Positive() && !r.Positive():
				return list(confirmed(c.server(), "container %s has no memory request and no memory limit", c.DB.Server.Name).fix("requests.memory and limits.memory of the same value, of what the server needs"))
			case l.Positive() && r.Value*3 < l.Value*2:
				f := confirmed(r.At.Spot(), "memory request %s, limit %s: a pod that uses more than its request is evicted first", manifest.Size(r.Value), manifest.Size(l.Value))
				if size, _, known := c.DB.BufferPool(); known && size >= l.Value && !c.usesLargePages() {
					return list(f.fix("requests.memory equal to a limit that is large enough for the buffer pool (M-BP-02)"))
				}
				return list(f.oneOf(term("requests.memory and limits.memory of the same value, of what the server needs"),
					resources(phrase("requests.memory: %s, equal to the limit", l.At.Text()), "requests.memory", l.At.Text())))
			}
			return nil
		},
	}
}
