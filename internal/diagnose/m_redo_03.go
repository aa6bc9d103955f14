package diagnose

func mREDO03() Rule {
	return Rule{
		ID: "M-REDO-03", Title: "The old variables of the redo log do nothing", Severity: Warning, Needs: []Need{needMySQL(needVersion())},
		What: "Where innodb_redo_log_capacity is set, innodb_log_file_size and innodb_log_files_in_group are ignored (8.0.30 and later). A server of 9.x does " +
			"not know them and refuses to start.",
		Fix:     "innodb_redo_log_capacity alone.",
		Sources: []string{measured, mysqlRedo},
		Check: func(c *Case) []Finding {
			old, set := c.DB.Option("innodb_log_file_size")
			if !set {
				old, set = c.DB.Option("innodb_log_files_in_group")
			}
			_, both := c.DB.Option("innodb_redo_log_capacity")
			if !set || !both {
				return nil // alone on 9.x: M-VER-01
			}
			return list(confirmed(old.Spot, "%s has no effect beside innodb_redo_log_capacity", old.Name).fix("innodb_redo_log_capacity alone"))
		},
	}
}
