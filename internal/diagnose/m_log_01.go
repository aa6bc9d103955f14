package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mLOG01() Rule {
	return Rule{
		ID: "M-LOG-01", Title: "Every statement is logged (general log, audit log or slow log)", Severity: Error, Needs: []Need{needAny()},
		What: "The general log writes a line for each statement before it runs. An audit log with policy ALL and a slow log with long_query_time=0 also " +
			"write every statement. For short statements the logging takes longer than the statement.",
		Impact:  "Lower throughput of short statements, and disk space and IOPS for the log.",
		Fix:     "Set general_log=OFF, audit_log_policy=LOGINS and long_query_time=1. All can be changed at runtime.",
		Sources: []string{kubeblocksCode, "MySQL 8.4 Reference Manual, The General Query Log: https://dev.mysql.com/doc/refman/8.4/en/query-log.html"},
		Check: func(c *Case) []Finding {
			var all []Finding
			if o, ok := c.DB.Option("general_log"); ok && manifest.IsOn(o.Value) {
				all = append(all, confirmed(o.Spot, "general_log is on: every statement is logged").fix("general_log=OFF").option(c, "general_log", "OFF"))
			}
			if o, ok := c.DB.Option("audit_log_policy"); ok && strings.EqualFold(o.Value, "all") {
				all = append(all, confirmed(o.Spot, "audit_log_policy=ALL: every statement is logged").fix("audit_log_policy=LOGINS"))
			}
			if o, ok := c.DB.Option("long_query_time"); ok && (o.Value == "0" || strings.HasPrefix(o.Value, "0.00")) {
				if on, set := c.DB.Option("slow_query_log"); set && manifest.IsOn(on.Value) {
					all = append(all, confirmed(o.Spot, "long_query_time=%s: every statement counts as slow and is logged", o.Value).as(Warning).fix("long_query_time=1"))
				}
			}
			if len(all) == 0 {
				return c.elsewhere()
			}
			return all
		},
	}
}
