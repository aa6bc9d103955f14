package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kMEM11() Rule {
	return Rule{
		ID: "K-MEM-11", Title: "The memory request is smaller than the buffer pool", Severity: Warning, Needs: []Need{needResources()},
		What: "The scheduler reserves the request and not what the server uses. When the buffer pool has filled, the node has given the same memory to other " +
			"pods. When it runs short, pods that use more than they request are evicted first, and the OOM killer prefers them (oom_score_adj).",
		Impact:  "Eviction or an OOM kill of the server by the node, with crash recovery and an empty buffer pool.",
		Fix:     "Set requests.memory to what the server needs: the buffer pool, its overhead and the connections.",
		Sources: []string{k8sKubelet, mysqlPool},
		Check: func(c *Case) []Finding {
			r := c.DB.Server.Request("memory")
			size, from, known := c.DB.BufferPool()
			l, limited := c.DB.MemoryLimit()
			switch {
			case limited && l < size: // M-BP-02
				return nil
			case !r.Positive() || c.DB.Pod.Resources.Exists() || c.usesLargePages():
				return nil
			case !known:
				return list(unknown("%s", ofText(from)))
			case r.Value >= size:
				return nil
			}
			f := confirmed(r.At.Spot(), "memory request %s, and the buffer pool alone takes %s (%s): the node has less memory for the server than it uses", manifest.Size(r.Value), manifest.Size(size), ofText(from))
			if r.Value*2 <= size {
				f = f.as(Error)
			}
			server, _ := c.memoryOf()
			need, says := manifest.Size(limitFor(server)), phrase("requests.memory: %s", manifest.Size(limitFor(server)))
			if limited && limitFor(server) > l { // a request above the limit is refused
				need, says = c.DB.Server.Limit("memory").At.Text(), phrase("requests.memory: %s, equal to the limit", manifest.Size(l))
			}
			return list(f.oneOf(term("together: requests.memory, limits.memory and a buffer pool that fits into them"), resources(says, "requests.memory", need)))
		},
	}
}
