package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mBP01() Rule {
	return Rule{
		ID: "M-BP-01", Title: "Buffer pool too small for the memory limit", Severity: Error, Needs: []Need{needMemory()},
		What: "With O_DIRECT only the buffer pool caches data: every page that is not in it is read from the volume. The default of 128 MiB is independent " +
			"of the container's memory, so it must be set.",
		Impact: "Each buffer pool miss is a read from the volume. KubeBlocks' comparison names a low hit rate as one of three causes of lost throughput. The " +
			"size depends on the data.",
		Fix: "Set innodb_buffer_pool_size to about 70 % of the memory limit minus the memory for connections. The printed value leaves room for " +
			"max_connections. If the data needs a larger buffer pool, raise the memory limit.",
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
	if !limited {
		return nil
	}
	if all := inHugePages(c); all != nil {
		return all
	}
	if !known {
		return list(unknown("%s", ofText(from)))
	}
	if limit < 1<<30 || size*4 >= limit && size > 128<<20 {
		return nil
	}
	want := pool(limit, connections(c))
	if want <= size*3/2 {
		return nil
	}
	at := c.configPlace()
	if set {
		at = o.Spot
	}
	f := confirmed(at, "buffer pool %s (%s) with a memory limit of %s", manifest.Size(size), ofText(from), manifest.Size(limit)).
		fix("innodb_buffer_pool_size=%s in %s (%s); or raise the memory limit: a buffer pool of %s needs %s",
			manifest.MySize(want), c.configIn(), arithmetic(limit, connections(c)), manifest.MySize(2*want), manifest.Size(limitFor(2*want, connections(c))))
	if size > 128<<20 {
		f.Verdict, f.Severity = Hint, Note
	}
	return list(f.option(c, "innodb_buffer_pool_size", manifest.MySize(want)))
}

const (
	perConnection      = 1_400_000 // thread stack and session buffers at their defaults, about 1.3 MiB
	defaultConnections = 151       // max_connections of every version

	fixedMemory = 600 << 20 // log buffer, performance_schema, dictionary, code
)

// perOperatorConnection is by what Percona's operators divide the memory limit for max_connections
// (pkg/pxc/app/config/autotune.go, pkg/mysql/config.go).
const perOperatorConnection = 12582880

func connections(c *Case) int64 {
	_, set := c.DB.Option("max_connections")
	if limit, limited := c.DB.MemoryLimit(); !set && limited && strings.HasPrefix(c.DB.Operator, "Percona ") {
		return max(1, limit/perOperatorConnection)
	}
	n, _, why := c.number("max_connections")
	if !why.empty() || n <= 0 {
		return defaultConnections
	}
	return n
}

// pool is the buffer pool for a memory limit: at most 75 %, with the page control
// overhead of 8 %, the fixed parts and the connections beside it; in 128 MiB.
func pool(limit, connections int64) int64 {
	return max(largest(limit, connections)/chunk*chunk, chunk)
}

const chunk = 128 << 20 // innodb_buffer_pool_chunk_size

// largest is the pool before it is rounded.
func largest(limit, connections int64) int64 {
	return min(limit/4*3, (limit-fixedMemory-connections*perConnection)*100/108)
}

// arithmetic is how pool comes to its figure.
func arithmetic(limit, connections int64) Phrase {
	if most := largest(limit, connections); most == limit/4*3 {
		return phrase("75 %% of the limit of %s = %s, in steps of 128M", manifest.Size(limit), manifest.Size(most>>20<<20))
	}
	left := max(limit-fixedMemory-connections*perConnection, 0)
	return phrase("limit %s - %s for the server - %d connections x 1.3Mi = %s, / 1.08 = %s, in steps of 128M, at least 128M",
		manifest.Size(limit), manifest.Size(fixedMemory), connections, manifest.Size(left>>20<<20), manifest.Size(left*100/108>>20<<20))
}

// limitFor is the smallest memory limit, in steps of 128 MiB, for which pool gives a
// buffer pool of that size.
func limitFor(size, connections int64) int64 {
	limit := max((size+2)/3*4, size/100*108+fixedMemory+connections*perConnection)
	limit = (limit + chunk - 1) / chunk * chunk
	for pool(limit, connections) < size {
		limit += chunk
	}
	return limit
}
