package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mBP04() Rule {
	return Rule{
		ID: "M-BP-04", Title: "innodb_dedicated_server ignores the container's memory limit", Severity: Error, Needs: []Need{needMySQL(needMemory())},
		What: "innodb_dedicated_server sizes the buffer pool to three quarters of the machine's memory. The server reads the machine's memory, not the " +
			"container's limit (8.0, 8.4, and 9.x unless container_aware is on).",
		Impact: "Measured with a limit of 4 GiB on a machine with 23.5 GiB: a buffer pool of 17.3 to 18 GiB, and an OOM kill once it fills; with " +
			"container_aware=ON, 2 GiB.",
		Fix:     "Set innodb_dedicated_server=OFF and explicit sizes. On 9.x alternatively set container_aware=ON.",
		Sources: []string{measured, mysqlDedicated},
		Check: func(c *Case) []Finding {
			o, set := c.DB.Option("innodb_dedicated_server")
			limit, limited := c.DB.MemoryLimit()
			if !set || !manifest.IsOn(o.Value) {
				return nil
			}
			if sized, ok := c.DB.Option("innodb_buffer_pool_size"); ok {
				size, read := c.DB.Size(sized)
				if sized.Written() || read && limited && size < limit {
					return nil // the server uses the size that is set; M-BP-02 compares it with the limit
				}
			}
			if aware, ok := c.DB.Option("container_aware"); ok && manifest.IsOn(aware.Value) {
				return nil
			}
			if !limited {
				return list(hint(o.Spot, "the buffer pool is sized to 75 %% of the node's memory, without a memory limit").fix("innodb_dedicated_server=OFF and an explicit innodb_buffer_pool_size"))
			}
			return list(confirmed(o.Spot, "the buffer pool is sized to 75 %% of the node's memory, with a memory limit of %s", manifest.Size(limit)).
				fix("innodb_dedicated_server=OFF, innodb_buffer_pool_size=%s, innodb_redo_log_capacity=2G", manifest.MySize(pool(limit, connections(c)))))
		},
	}
}
