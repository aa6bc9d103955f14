package diagnose

import (
	"slices"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

func kALC03() Rule {
	return Rule{
		ID: "K-ALC-03", Title: "The memory request or limit exceeds the node's allocatable memory", Severity: Error, Needs: []Need{needNode()},
		What: "Allocatable memory is the machine's memory minus the kubelet's reservations and its eviction threshold. A pod whose request exceeds what is " +
			"left stays Pending. A limit above allocatable memory lets the kubelet evict the server when the node runs short.",
		Impact:  "The pod does not start, or is evicted under memory pressure.",
		Fix:     "Request at most the printed amount, and size the buffer pool from it.",
		Sources: []string{k8sCM, k8sKubelet},
		Check:   checkMemoryOfNode,
	}
}

func checkMemoryOfNode(c *Case) []Finding {
	if !c.Node.Allocatable("memory").Set {
		return list(unknown("%s has no status.allocatable.memory", c.Node.Object.Name))
	}
	asked, most := c.DB.Pod.Requests("memory"), room(c, "memory")
	if asked > c.Node.Free("memory", c.DB) {
		r := c.DB.Server.Request("memory")
		return list(confirmed(r.At.Spot(), "%s does not fit on %s: %s allocatable, %s already requested%s", manifest.Size(asked), c.Node.Object.Name,
			manifest.Size(c.Node.Allocatable("memory").Value), manifest.Size(c.Node.Taken("memory", c.DB)), several(c)).oneOf(fewerBytes(most), c.lessMemory(most)...))
	}
	if l := c.DB.Server.Limit("memory"); l.Positive() && l.Value > c.Node.Allocatable("memory").Value {
		return list(confirmed(l.At.Spot(), "the memory limit of %s exceeds the allocatable memory of %s (%s)", manifest.Size(l.Value), c.Node.Object.Name,
			manifest.Size(c.Node.Allocatable("memory").Value)).oneOf(fewerBytes(most), c.lessMemory(most)...))
	}
	return nil
}

// limitOnNode is the memory limit that a server can have on the node: where K-ALC-03 asks for less, what it asks for.
func (c *Case) limitOnNode(limit int64) int64 {
	if c.Node == nil || c.DB.Pod == nil || !slices.ContainsFunc(checkMemoryOfNode(c), Finding.Found) {
		return limit
	}
	if most := room(c, "memory") >> 30 << 30; most > 0 {
		return min(limit, most)
	}
	return limit
}

func fewerBytes(most int64) Phrase {
	return phrase("memory: at most %dGi, with a buffer pool that fits into it, or another node", max(most, 0)>>30)
}

// lessMemory is a request and a limit of at most so many bytes, with a smaller buffer pool where it does not fit.
func (c *Case) lessMemory(most int64) []way {
	size := max(most, 0) >> 30 << 30
	if size == 0 {
		return nil
	}
	text := manifest.Size(size)
	less := resources(phrase("memory: at most %s", text), "requests.memory", text, "limits.memory", text)
	s, _ := c.memoryOf()
	if smaller := pool(s, size); memory.Of(s).Most() > size && smaller >= chunk && smaller < s.BufferPool {
		return []way{less.with(options(Phrase{}, false, "innodb_buffer_pool_size", manifest.MySize(smaller)), phrase("memory: at most %s, together with innodb_buffer_pool_size=%s", text, manifest.MySize(smaller)))}
	}
	return []way{less}
}
