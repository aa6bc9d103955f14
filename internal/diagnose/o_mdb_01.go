package diagnose

func oMDB01() Rule {
	return Rule{
		ID: "O-MDB-01", Title: "mariadb-operator does not size the buffer pool", Severity: Error, Needs: []Need{needAny()},
		What: "The operator's own configuration sets skip-name-resolve and little else. Without spec.myCnf the buffer pool is 128 MiB, innodb_io_capacity " +
			"200 and performance_schema off.",
		Impact:  "A buffer pool of 128 MiB: most pages are read from the volume.",
		Fix:     "Set innodb_buffer_pool_size and innodb_log_file_size in spec.myCnf.",
		Sources: []string{mariadbOp, measured},
		Check: func(c *Case) []Finding {
			if c.DB.Operator != "mariadb-operator" {
				return nil
			}
			if _, set := c.DB.Option("innodb_buffer_pool_size"); set {
				return nil
			}
			limit, limited := c.DB.MemoryLimit()
			if limited && limit >= 1<<30 {
				return nil // M-BP-01 has the figure
			}
			if len(c.DB.Config.Missing) > 0 {
				return c.elsewhere()
			}
			if limited && limit < 512<<20 {
				return nil
			}
			return list(confirmed(c.DB.ConfigAt.Spot(), "spec.myCnf sets no innodb_buffer_pool_size: the buffer pool is 128Mi at any memory limit").fix("spec.myCnf: |, with [mariadb] and innodb_buffer_pool_size"))
		},
	}
}
