package diagnose

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mLOG01() Rule {
	return Rule{
		ID: "M-LOG-01", Title: "Every statement is logged (general log, audit log or slow log)", Severity: Error, Needs: []Need{needAny()},
		What: "The general log writes a line for each statement before it runs. An audit log with policy ALL and a slow log with long_query_time=0 also " +
			"write every statement. For short statements the logging takes longer than the statement.",
		Impact:  "Lower throughput of short statements, and disk space and IOPS for the log.",
		Fix:     "Set general_log=OFF, audit_log_policy=LOGINS and long_query_time=1. general_log and long_query_time can be changed at runtime.",
		Sources: []string{kubeblocksCode, "MySQL 8.4 Reference Manual, The General Query Log: https://dev.mysql.com/doc/refman/8.4/en/query-log.html"},
		Check: func(c *Case) []Finding {
			var all []Finding
			if s, why := c.setting("general_log"); why.empty() && manifest.IsOn(s.Value) {
				var from Phrase
				if !s.Set {
					from = phrase(" (%s)", s.From)
				}
				all = append(all, confirmed(s.At, "general_log is on%s: every statement is logged", from).fix("general_log=OFF in %s", c.configIn()).option(c, "general_log", "OFF"))
			}
			if o, ok := c.DB.Option("audit_log_policy"); ok && strings.EqualFold(o.Value, "all") {
				all = append(all, confirmed(o.Spot, "audit_log_policy=ALL: every statement is logged").fix("audit_log_policy=LOGINS"))
			}
			if o, ok := c.DB.Option("long_query_time"); ok && everyStatement(o.Value) {
				if on, set := c.DB.Option("slow_query_log"); set && manifest.IsOn(on.Value) && !sampled(c) {
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

// everyStatement is whether a long_query_time in seconds is below what a statement takes.
func everyStatement(seconds string) bool {
	v, err := strconv.ParseFloat(seconds, 64)
	return err == nil && v < 0.0001
}

// sampled is whether Percona Server or MariaDB logs only one of several statements or sessions.
func sampled(c *Case) bool {
	for _, name := range []string{"log_slow_rate_limit", "slow_query_log_rate_limit"} {
		if o, ok := c.DB.Option(name); ok && o.Value != "1" && o.Value != "0" {
			return true
		}
	}
	return false
}
