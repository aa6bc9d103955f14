package diagnose

func mDUR03() Rule {
	return Rule{
		ID: "M-DUR-03", Title: "Galera: relaxed innodb_flush_log_at_trx_commit", Severity: Note, Risk: true, Needs: []Need{needAny()},
		What: "In a Galera cluster a commit is also on the other nodes, so a relaxed flush is acceptable where nodes do not fail together. Percona's images " +
			"set 2, and before 8.0.35 set 0. With 0 a node loses commits when mysqld crashes, with 2 only when the machine fails.",
		Impact:  "Loss of about a second of commits on a node; throughput is not comparable with a server at 1.",
		Fix:     "Use 2 rather than 0. Use 1 where the nodes share power, zone or storage.",
		Sources: []string{pxcImage},
		Check: func(c *Case) []Finding {
			if c.DB.Replication != "galera" {
				return nil
			}
			o, set := c.DB.Option("innodb_flush_log_at_trx_commit")
			switch {
			case set && o.Value == "0":
				return list(hint(o.Spot, "innodb_flush_log_at_trx_commit=0 loses commits when mysqld crashes, not only when the node fails").fix("innodb_flush_log_at_trx_commit=2"))
			case set:
				return nil
			case c.DB.Operator == "Percona XtraDB Cluster Operator" && !c.DB.Version.Known():
				return list(unknown("the version of the image is unknown; 8.0 before 8.0.35 sets innodb_flush_log_at_trx_commit=0"))
			case c.DB.Operator == "Percona XtraDB Cluster Operator" && !c.DB.Version.AtLeast(8, 0, 35):
				return list(hint(c.configPlace(), "the image sets innodb_flush_log_at_trx_commit=0: faster than a server with 1, and not comparable").fix("innodb_flush_log_at_trx_commit=2 (or 1) in %s", c.configIn()))
			}
			return nil
		},
	}
}
