package diagnose

func mREDO03() Rule {
	return Rule{
		ID: "M-REDO-03", Title: "innodb_log_file_size has no effect next to innodb_redo_log_capacity", Severity: Warning, Needs: []Need{needMySQL(needVersion())},
		What: "When innodb_redo_log_capacity is set, innodb_log_file_size and innodb_log_files_in_group are ignored (8.0.30 and later). MySQL 9.7 does not " +
			"know them and refuses to start.",
		Impact:  "A redo log of another size than expected; the server does not start after an upgrade to 9.7.",
		Fix:     "Set only innodb_redo_log_capacity.",
		Sources: []string{measured, mysqlRedo},
		Check: func(c *Case) []Finding {
			old, set := c.DB.Option("innodb_log_file_size")
			if !set {
				old, set = c.DB.Option("innodb_log_files_in_group")
			}
			_, both := c.DB.Option("innodb_redo_log_capacity")
			if !set || !both || c.lacks(old.Name) || c.lacks("innodb_redo_log_capacity") {
				return nil
			}
			return list(confirmed(old.Spot, "%s has no effect next to innodb_redo_log_capacity", old.Name).fix("set only innodb_redo_log_capacity"))
		},
	}
}
