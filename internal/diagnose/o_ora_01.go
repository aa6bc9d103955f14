package diagnose

import "strings"

func oORA01() Rule {
	return Rule{
		ID: "O-ORA-01", Title: "An InnoDBCluster says nothing of resources or the buffer pool", Severity: Error, Needs: []Need{needAny()},
		What: "The operator sets neither requests nor limits on any container, and its configuration neither a buffer pool nor a redo log: BestEffort, " +
			"128 MiB and 100 MiB.",
		Fix:     "spec.podSpec with equal requests and limits for mysql, sidecar, initconf and initmysql (they merge by name), and spec.mycnf with sizes.",
		Sources: []string{oracleOperator},
		Check: func(c *Case) []Finding {
			if c.DB.Operator != "MySQL Operator" {
				return nil
			}
			if _, set := c.DB.Option("innodb_buffer_pool_size"); set {
				return nil
			}
			if limit, ok := c.DB.MemoryLimit(); ok && limit >= 1<<30 {
				return nil // M-BP-01 has the figure
			}
			if text := c.DB.ConfigAt.Text(); text != "" && !strings.Contains(text, "[") {
				return list(unknown("spec.mycnf has no group; it may be filled in elsewhere"))
			}
			return list(confirmed(c.DB.ConfigAt.Spot(), "spec.mycnf sets no innodb_buffer_pool_size: the pool is 128Mi whatever the memory").
				fix("spec.mycnf: |, with [mysqld], innodb_buffer_pool_size and innodb_redo_log_capacity"))
		},
	}
}
