package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mDUR02() Rule {
	return Rule{
		ID: "M-DUR-02", Title: "Relaxed durability: committed transactions can be lost", Severity: Warning, Risk: true, Needs: []Need{needAny()},
		What: "With innodb_flush_log_at_trx_commit other than 1, up to about a second of commits is lost if the node fails (with 0 also if mysqld crashes). " +
			"With sync_binlog other than 1, recovery rolls back transactions that are prepared but not in the binary log: up to that many commit groups, " +
			"and with 0 whatever the kernel had not written. Replicas may have transactions that the primary lost.",
		Impact: "Faster commits at the price of data loss: with one thread a commit takes 2.3 fsyncs with both at 1, 1 with " +
			"innodb_flush_log_at_trx_commit=2, 1.26 with sync_binlog=0, and none with both at 0. Results are not comparable with servers that have both at 1.",
		Fix:     "Set both to 1. --fix never changes them. If the loss is accepted, document it next to the setting.",
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
		if name == "sync_binlog" && c.withoutBinlog() {
			continue
		}
		s, why := c.setting(name)
		if !why.empty() {
			all = append(all, unknown("%s", why))
			continue
		}
		if s.Value == "1" || name == "innodb_flush_log_at_trx_commit" && c.syncsEach(s.Value) {
			continue
		}
		f := confirmed(s.At, "%s=%s", name, s.Value)
		// sync_binlog of MariaDB has its default here; and a server of unknown product may be MariaDB, which has 3.
		if !s.Set || s.Value == "3" && c.DB.Product == "" {
			f = hint(s.At, "%s is %s (%s)", name, s.Value, s.From)
		}
		all = append(all, f.and(": if the node fails, %s", lossOf(name, s.Value)).fix("%s=1, unless this loss is accepted", name))
	}
	if len(all) == 2 && all[0].Verdict == Unknown && all[1].Verdict == Unknown {
		return all[:1]
	}
	return all
}

// syncsCommits is whether innodb_flush_log_at_trx_commit syncs the redo log for each commit: 1, and 3
// of MariaDB, which syncs at the prepare as well (mariadb.com/kb, InnoDB System Variables). The value is
// that of a running server: no MySQL server says 3.
func syncsCommits(value string) bool { return value == "1" || value == "3" }

// syncsEach is whether the server of the files syncs the redo log for each commit. Only MariaDB
// has 3: MySQL adjusts it to 2, its largest value, with a warning (MySQL reference manual,
// innodb_flush_log_at_trx_commit).
func (c *Case) syncsEach(value string) bool {
	return manifest.IsOn(value) || syncsCommits(value) && c.DB.Product == manifest.MariaDB
}

// withoutBinlog says that the server is known to write no binary log.
func (c *Case) withoutBinlog() bool {
	s, why := c.setting("log_bin")
	return why.empty() && manifest.IsOff(s.Value)
}

// lossOf is what a node's end takes along (MySQL reference manual,
// innodb_flush_log_at_trx_commit and sync_binlog).
func lossOf(name, value string) Phrase {
	switch {
	case name == "innodb_flush_log_at_trx_commit":
		return term("commits of up to about a second are lost")
	case value == "0":
		return term("commits that the kernel has not written to the binary log are lost")
	}
	return phrase("up to %s commit groups are lost", value)
}
