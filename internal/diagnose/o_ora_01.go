package diagnose

import "strings"

func oORA01() Rule {
	return Rule{
		ID: "O-ORA-01", Title: "InnoDBCluster without resources or buffer pool size", Severity: Error, Needs: []Need{needAny()},
		What: "MySQL Operator sets no requests or limits on any container, and its configuration sets no buffer pool and no redo log size. The result is a " +
			"BestEffort pod with a buffer pool of 128 MiB and a redo log of 100 MiB.",
		Impact: "See K-QOS-01, M-BP-01 and M-REDO-01: a server with default sizes that gets the least CPU time.",
		Fix: "Set spec.podSpec with equal requests and limits for the containers mysql, sidecar, fixdatadir, initconf and initmysql (they are merged by name), and the " +
			"sizes in spec.mycnf.",
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
				return list(unknown("spec.mycnf has no option group; it may be a template"))
			}
			return list(confirmed(c.DB.ConfigAt.Spot(), "spec.mycnf sets no innodb_buffer_pool_size: the buffer pool is 128Mi at any memory limit").
				fix("spec.mycnf: |, with [mysqld], innodb_buffer_pool_size and innodb_redo_log_capacity"))
		},
	}
}
