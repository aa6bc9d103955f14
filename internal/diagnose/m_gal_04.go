package diagnose

import "strings"

func mGAL04() Rule {
	return Rule{
		ID: "M-GAL-04", Title: "A member of a Galera cluster has a binary log format other than ROW", Severity: Error, Needs: []Need{needAny()},
		What: "Members of Galera send each other rows. With wsrep_on and binlog_format STATEMENT or MIXED the server stops at start: \"Only binlog_format = " +
			"'ROW' is currently supported\".",
		Impact:  "The server does not start. A pod is in CrashLoopBackOff.",
		Fix:     "Set binlog_format=ROW, or remove the option.",
		Sources: []string{"MariaDB documentation, Configuring MariaDB Galera Cluster: https://mariadb.com/docs/galera-cluster/galera-management/configuration/configuring-mariadb-galera-cluster"},
		Check:   checkRowFormat,
	}
}

func checkRowFormat(c *Case) []Finding {
	if c.DB.Replication != "galera" {
		return nil
	}
	o, set := c.DB.Option("binlog_format")
	if !set {
		return c.elsewhere()
	}
	if strings.EqualFold(o.Value, "ROW") || o.Value == "2" { // the number of ROW
		return nil
	}
	if strings.Contains(o.Value, "$") {
		return list(unknown("binlog_format=%s is written when the container starts", o.Value))
	}
	says := confirmed(o.Spot, "binlog_format=%s: a member of a Galera cluster starts with ROW only", o.Value)
	if c.DB.Operator != "" {
		says = hint(o.Spot, "binlog_format=%s: a member of a Galera cluster starts with ROW only; whether %s replaces the value is not known", o.Value, c.DB.Operator)
	}
	return list(says.fix("binlog_format=ROW").edit(o.Spot, "ROW"))
}
