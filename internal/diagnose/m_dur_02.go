package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mDUR02() Rule {
	return Rule{
		ID: "M-DUR-02", Title: "Committed transactions can be lost", Severity: Warning, Needs: []Need{needAny()},
		What: "With innodb_flush_log_at_trx_commit other than 1, up to about a second of commits is lost with the node (with 0 also with the process). " +
			"With sync_binlog other than 1, recovery rolls back what was prepared but is not in the binary log: up to that many commit groups, and with 0 " +
			"whatever the kernel had not written out. Replicas may have what the primary has lost. It is faster, and figures taken so compare with nothing at 1 and 1.",
		Impact:  "It gains speed: at one thread a commit takes 2.3 fsyncs at (1, 1), 1 at (2, 1), 1.26 at (1, 0) and none at (0, 0).",
		Fix:     "Both 1. Never changed by --fix. Where the loss is accepted, say so beside the setting.",
		Sources: []string{measured, kubeblocks2023, mysqlInnoDB, mysqlBinlog},
		Check:   checkDurability,
	}
}

func checkDurability(c *Case) []Finding {
	if c.DB.Replication == "galera" {
		return nil // M-DUR-03
	}
	var all []Finding
	for _, name := range []string{"innodb_flush_log_at_trx_commit", "sync_binlog"} {
		s, why := c.setting(name)
		if why != "" {
			all = append(all, unknown("%s", why))
			continue
		}
		if s.Set && s.Value != "1" && !(name == "innodb_flush_log_at_trx_commit" && manifest.IsOn(s.Value)) {
			all = append(all, confirmed(s.At, "%s=%s: with the node, %s", name, s.Value, lossOf(name, s.Value)).fix("%s=1, unless that loss is accepted", name))
		}
	}
	if len(all) == 2 && all[0].Verdict == Unknown && all[1].Verdict == Unknown {
		return all[:1]
	}
	return all
}

// lossOf is what a node's end takes along (MySQL reference manual,
// innodb_flush_log_at_trx_commit and sync_binlog).
func lossOf(name, value string) string {
	switch {
	case name == "innodb_flush_log_at_trx_commit":
		return "commits of up to about a second are lost"
	case value == "0":
		return "commits are lost that the kernel has not written to the binary log yet"
	}
	return "up to " + value + " groups of commits are lost"
}
