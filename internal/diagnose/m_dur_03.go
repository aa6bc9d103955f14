package diagnose

func mDUR03() Rule {
	return Rule{
		ID: "M-DUR-03", Title: "A Galera member may lose its own commits", Severity: Note, Needs: []Need{needAny()},
		What: "In a Galera cluster a commit is on the other members too, so a relaxed flush is bearable where members do not fail together. Percona's images " +
			"ship 0 (8.0) and 2 (8.4). 0 loses commits with the process, 2 only with the node.",
		Fix:     "2 rather than 0; 1 where the members share power, zone or storage.",
		Sources: []string{pxcImage},
		Check: func(c *Case) []Finding {
			if c.DB.Replication != "galera" {
				return nil
			}
			o, set := c.DB.Option("innodb_flush_log_at_trx_commit")
			switch {
			case set && o.Value == "0":
				return list(hint(o.Spot, "innodb_flush_log_at_trx_commit=0 loses commits when the process ends, not only with the node").fix("innodb_flush_log_at_trx_commit=2"))
			case set:
				return nil
			case c.DB.Operator == "Percona XtraDB Cluster Operator" && !c.DB.Version.Known():
				return list(unknown("neither a tag nor a field says which image it is; 8.0 ships innodb_flush_log_at_trx_commit=0"))
			case c.DB.Operator == "Percona XtraDB Cluster Operator" && !c.DB.Version.AtLeast(8, 4, 0):
				return list(hint(c.configPlace(), "the image of 8.0 ships innodb_flush_log_at_trx_commit=0: faster than a server with 1, and not comparable").fix("innodb_flush_log_at_trx_commit=2 (or 1) in %s", c.configIn()))
			}
			return nil
		},
	}
}
