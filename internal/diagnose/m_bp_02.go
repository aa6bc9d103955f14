package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mBP02() Rule {
	return Rule{
		ID: "M-BP-02", Title: "Buffer pool and connections exceed the memory limit (OOM kill)", Severity: Error, Needs: []Need{needMemory()},
		What: "The buffer pool takes 8 % more than its size, the server some hundred MiB, and each connection about 1.3 MiB with default session buffers. " +
			"Above the memory limit the kernel kills the server, under load, when the buffer pool has filled.",
		Impact:  "An OOM kill, crash recovery and an empty buffer pool: minutes of downtime.",
		Fix:     "Use the printed buffer pool size, or fewer connections, or a higher memory limit.",
		Sources: []string{mysqlPool, mariadbOp},
		Check:   checkLargePool,
	}
}

func checkLargePool(c *Case) []Finding {
	limit, limited := c.DB.MemoryLimit()
	o, set := c.DB.Option("innodb_buffer_pool_size")
	if !limited || !set {
		return nil
	}
	size, ok := c.DB.Size(o)
	if !ok {
		return list(unknown("innodb_buffer_pool_size is not a valid size: %s", o.Value))
	}
	if all := inHugePages(c); all != nil {
		return all
	}
	n := connections(c)
	needs := size/100*108 + sessions(c)*n
	switch {
	case size >= limit:
		return list(confirmed(o.Spot, "buffer pool %s with a memory limit of %s: the server is OOM-killed when the buffer pool fills", manifest.Size(size), manifest.Size(limit)).
			fix("%s", fitting(size, limit, n)).option(c, "innodb_buffer_pool_size", manifest.MySize(pool(limit, n))))
	case size > limit/100*85:
		return list(confirmed(o.Spot, "buffer pool %s leaves %s of the memory limit for everything else", manifest.Size(size), manifest.Size(limit-size)).
			fix("%s", fitting(size, limit, n)).option(c, "innodb_buffer_pool_size", manifest.MySize(pool(limit, n))))
	case needs > limit:
		return list(hint(o.Spot, "with all %d connections in use the server needs up to %s, more than the memory limit of %s", n, manifest.Size(needs>>20<<20), manifest.Size(limit)).as(Warning).
			fix("%s; or max_connections=%d", fitting(size, limit, n), max((limit-size/100*108)/sessions(c), 10)))
	}
	return nil
}

// fitting is both ways out: the pool for the limit, and the limit for the pool.
func fitting(size, limit, connections int64) Phrase {
	return phrase("innodb_buffer_pool_size=%s (%s); or raise the memory limit to %s",
		manifest.MySize(pool(limit, connections)), arithmetic(limit, connections), manifest.Size(limitFor(size, connections)))
}

// inHugePages is what is said of a buffer pool in huge pages, nil where it is not. They are charged to the
// hugetlb controller and not to memory.max, unless cgroup2 is mounted with
// memory_hugetlb_accounting (Documentation/admin-guide/cgroup-v2.rst), which no distribution does.
// Of a running server that controller is not read, and without free huge pages it uses others.
func inHugePages(c *Case) []Finding {
	if o, ok := c.DB.Option("large_pages"); !ok || !manifest.IsOn(o.Value) || c.DB.Server == nil {
		return nil
	}
	var bytes int64
	for _, name := range []string{"hugepages-2Mi", "hugepages-1Gi"} {
		if l := c.DB.Server.Limit(name); l.Positive() {
			bytes += l.Value
		}
	}
	switch {
	case bytes > 0:
		return list(unknown("large_pages: the buffer pool is in huge pages (limit %s), which the memory limit does not count", manifest.Size(bytes)))
	case c.DB.Object.Kind == "server":
		return list(unknown("large_pages: the buffer pool may be in huge pages, which the memory limit does not count"))
	}
	return nil
}

// sessions is what a connection takes with the buffers that are set.
func sessions(c *Case) int64 {
	total := int64(perConnection)
	for _, b := range []struct {
		name string
		is   int64
	}{{"sort_buffer_size", 256 << 10}, {"join_buffer_size", 256 << 10}, {"read_buffer_size", 128 << 10}, {"read_rnd_buffer_size", 256 << 10}} {
		if o, ok := c.DB.Option(b.name); ok {
			if size, ok := c.DB.Size(o); ok && size < 1<<40 {
				total += size - b.is
			}
		}
	}
	return max(total, 1<<18)
}
