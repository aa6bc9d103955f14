package diagnose

import (
	"fmt"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

func mBP01() Rule {
	return Rule{
		ID: "M-BP-01", Title: "Buffer pool too small for the memory", Severity: Error, Needs: []Need{needMemory()},
		What: "With O_DIRECT only the buffer pool caches data: every page that is not in it is read from the volume. The default of 128 MiB is independent " +
			"of the container's memory, so it must be set.",
		Impact: "Each buffer pool miss is a read from the volume. KubeBlocks' comparison names a low hit rate as one of three causes of lost throughput. The " +
			"size depends on the data.",
		Fix: "Set innodb_buffer_pool_size to the printed value: at most 75 % of the memory limit, and what the server and max_connections sessions leave of it " +
			"(docs/memory.md). If the data needs a larger buffer pool, raise the memory limit.",
		Sources: []string{mysqlPool, kubeblocks2023, measured},
		Check:   checkSmallPool,
	}
}

func checkSmallPool(c *Case) []Finding {
	limit, limited := c.DB.MemoryLimit()
	size, from, known := c.DB.BufferPool()
	o, set := c.DB.Option("innodb_buffer_pool_size")
	if dedicated, ok := c.DB.Option("innodb_dedicated_server"); ok && manifest.IsOn(dedicated.Value) && !(set && o.Written()) {
		return nil
	}
	switch {
	case c.usesLargePages() && c.DB.Object.Kind == "server" && limited:
		return list(unknown("large_pages: the buffer pool may be in huge pages, which the memory limit does not count"))
	case c.usesLargePages(): // sized by the huge pages: K-MEM-08
		return nil
	case !limited:
		return c.defaultPool()
	}
	if !known {
		return list(unknown("%s", ofText(from)))
	}
	if limit < 1<<30 || size*4 >= limit && size > 128<<20 {
		return nil
	}
	s, _ := c.memoryOf()
	fits := c.limitOnNode(limit)
	want := pool(s, fits)
	fewer := want <= size*3/2 && s.Connections > defaultConnections && size <= chunk
	if fewer { // the memory is for connections, and not for data
		s.Connections = defaultConnections
		want = pool(s, fits)
	}
	if want <= size*3/2 {
		return nil
	}
	at := c.configPlace()
	if set {
		at = o.Spot
	}
	f := confirmed(at, "buffer pool %s (%s) with a memory limit of %s", manifest.Size(size), ofText(from), manifest.Size(limit))
	if size > 128<<20 {
		f.Verdict, f.Severity = Hint, Note
	}
	s.BufferPool = want
	if fewer {
		change := []string{"innodb_buffer_pool_size", manifest.MySize(want), "max_connections", fmt.Sprint(defaultConnections)}
		return list(f.and("; %d connections may take the rest of it", connections(c)).oneOf(
			term("fewer connections or smaller session buffers, and then a larger innodb_buffer_pool_size: none fits beside so many"),
			options(phrase("together: %s (%s)", inOptions(change), arithmetic(s, fits)), false, change...)))
	}
	return list(f.oneOf(term("raise the memory limit, and then innodb_buffer_pool_size: no larger one fits"),
		options(phrase("innodb_buffer_pool_size=%s in %s (%s)", manifest.MySize(want), c.configIn(), arithmetic(s, fits)), true, "innodb_buffer_pool_size", manifest.MySize(want))))
}

// muchMemory is that of a server without a memory limit whose buffer pool is not meant to be the default's 128 MiB.
const muchMemory = 4 << 30

// defaultPool is the finding for a server without a memory limit: what it may take is not known, only that it is much
// more than the default.
func (c *Case) defaultPool() []Finding {
	var memory Phrase
	request := c.DB.Server.Request("memory")
	switch {
	case c.Machine >= muchMemory:
		memory = phrase("no memory limit, on a machine with %s", manifest.Size(c.Machine>>20<<20))
	case request.Value >= muchMemory:
		memory = phrase("a memory request of %s and no limit", manifest.Size(request.Value))
	default:
		return nil
	}
	size, from, known := c.DB.BufferPool()
	switch {
	case !known:
		return list(unknown("%s", ofText(from)))
	case size > 128<<20:
		return nil
	}
	at := c.configPlace()
	if o, set := c.DB.Option("innodb_buffer_pool_size"); set {
		at = o.Spot
	}
	return list(hint(at, "buffer pool %s (%s) with %s", manifest.Size(size), ofText(from), memory).as(Warning).
		fix("set innodb_buffer_pool_size to the size of the data in use, within the memory that the server may take"))
}

// arithmetic is what a server with its buffer pool leaves of a limit.
func arithmetic(s memory.Server, limit int64) Phrase {
	e := memory.Of(s)
	return phrase("%s of %s with it and no client, %s with all %d connections at work", mebibytes(e.Full()), manifest.Size(limit), mebibytes(e.Most()), s.Connections)
}
