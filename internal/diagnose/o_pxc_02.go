package diagnose

func oPXC02() Rule {
	return Rule{
		ID: "O-PXC-02", Title: "Without a memory limit the operator does not size the buffer pool", Severity: Error, Needs: []Need{needResources()},
		What: "Percona's operators compute the buffer pool and max_connections from the memory limit (the XtraDB Cluster operator only from it). Without a " +
			"limit the buffer pool stays at 128 MiB.",
		Impact:  "A buffer pool of 128 MiB: most pages are read from the volume.",
		Fix:     "Set limits.memory equal to requests.memory, or set innodb_buffer_pool_size in the configuration.",
		Sources: []string{pxcOperator, psOperator},
		Check: func(c *Case) []Finding {
			if c.DB.Operator != "Percona XtraDB Cluster Operator" && c.DB.Operator != "Percona Server for MySQL Operator" {
				return nil
			}
			if _, limited := c.DB.MemoryLimit(); limited {
				return nil
			}
			if c.DB.Operator == "Percona Server for MySQL Operator" && c.DB.Server.Request("memory").Positive() {
				return nil // it takes the request then
			}
			if _, set := c.DB.Option("innodb_buffer_pool_size"); set {
				return nil
			}
			return list(confirmed(c.DB.Server.Resources.Spot(), "no memory limit: the operator leaves the buffer pool at 128Mi").fix("set %s.limits.memory", c.DB.Server.Resources.Path()))
		},
	}
}
