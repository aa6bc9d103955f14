package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

func mBP04() Rule {
	return Rule{
		ID: "M-BP-04", Title: "innodb_dedicated_server ignores the container's memory limit", Severity: Error, Needs: []Need{needMySQL(needMemory())},
		What: "innodb_dedicated_server sizes the buffer pool to three quarters of the machine's memory. The server reads the machine's memory, not the " +
			"container's limit (8.0, 8.4, 9.0 to 9.2, and from 9.6 on unless container_aware is on). 9.3 to 9.5 read the limit.",
		Impact: "Measured with a limit of 4 GiB on a machine with 23.5 GiB: a buffer pool of 17.3 to 18 GiB, and an OOM kill once it fills; with " +
			"container_aware=ON, 2 GiB.",
		Fix:     "Set innodb_dedicated_server=OFF and explicit sizes. From 9.6 on alternatively set container_aware=ON.",
		Sources: []string{mysqlContainers, measured, mysqlDedicated},
		Check: func(c *Case) []Finding {
			o, set := c.DB.Option("innodb_dedicated_server")
			limit, limited := c.DB.MemoryLimit()
			if !set || !manifest.IsOn(o.Value) || c.lacks(o.Name) {
				return nil
			}
			if sized, ok := c.DB.Option("innodb_buffer_pool_size"); ok {
				size, read := c.DB.Size(sized)
				if sized.Written() || read && limited && size < limit {
					return nil // the server uses the size that is set; M-BP-02 compares it with the limit
				}
			}
			if aware, ok := c.DB.Option("container_aware"); ok && manifest.IsOn(aware.Value) || readsLimits(c.DB.Version) {
				return nil
			}
			if !limited {
				return list(hint(o.Spot, "the buffer pool is sized to 75 %% of the node's memory, without a memory limit").fix("innodb_dedicated_server=OFF and an explicit innodb_buffer_pool_size"))
			}
			redo := []string{"innodb_redo_log_capacity", "2G"}
			if v := c.DB.Version; v.Known() && !v.AtLeast(8, 0, 30) {
				redo = []string{"innodb_log_file_size", "1G"}
			}
			if c.dedicatedFlushes() && !c.written("innodb_flush_method") {
				redo = append(redo, "innodb_flush_method", "O_DIRECT")
			}
			s, _ := c.memoryOf()
			f := confirmed(o.Spot, "the buffer pool is sized to 75 %% of the node's memory, with a memory limit of %s", manifest.Size(limit))
			if size := pool(s, limit); size >= chunk {
				return list(f.oneOf(term("innodb_dedicated_server=OFF, with a buffer pool and a redo log that fit into the container and its volume"),
					options(phrase("innodb_dedicated_server=OFF with innodb_buffer_pool_size=%s, %s", manifest.MySize(size), inOptions(redo)), false,
						append([]string{"innodb_dedicated_server", "OFF", "innodb_buffer_pool_size", manifest.MySize(size)}, redo...)...)))
			}
			more := c.moreMemory(limitFor(withPool(s, chunk)))
			return list(f.oneOf(term("innodb_dedicated_server=OFF, with a buffer pool and a memory limit that fit together"),
				options(Phrase{}, false, "innodb_dedicated_server", "OFF", "innodb_buffer_pool_size", "128M").with(more, phrase("innodb_dedicated_server=OFF with innodb_buffer_pool_size=128M, %s", more.says))))
		},
	}
}

// dedicatedFlushes is whether innodb_dedicated_server sets innodb_flush_method=O_DIRECT_NO_FSYNC, as it does in MySQL
// 8.0 (MySQL 8.0 Reference Manual, Enabling Automatic InnoDB Configuration for a Dedicated MySQL Server).
func (c *Case) dedicatedFlushes() bool {
	o, set := c.DB.Option("innodb_dedicated_server")
	return set && manifest.IsOn(o.Value) && c.DB.Product != manifest.MariaDB && !c.DB.Version.AtLeast(8, 4, 0)
}

// readsLimits is whether a server always reads its container's limits of CPU and memory (MySQL 9.3
// Reference Manual, Container Detection and Configuration). From 9.6 on it does with container_aware.
func readsLimits(v manifest.Version) bool { return v.AtLeast(9, 3, 0) && !v.AtLeast(9, 6, 0) }

// withPool is a server with another buffer pool.
func withPool(s memory.Server, size int64) memory.Server {
	s.BufferPool = size
	return s
}
