package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"
)

// TestRedoLimits: each product has its own limit, and the redo log is a cause only where pages are
// written at it. The figures are of oltp_write_only of sysbench, 75 s with two threads, one
// reading a second, logs of 96 and 100 MiB.
func TestRedoLimits(t *testing.T) {
	mariadb := func(age, most, pages float64) seenBy {
		return seenBy{each: nums{keys.MySQLInnoDBBufferPoolPagesFlushed: pages}, level: nums{keys.MySQLRedoAge: age, "most " + keys.MySQLRedoAge: most, keys.MySQLInnoDBCheckpointMaxAge: 80819529},
			facts: said{keys.ServerFlavour: "mariadb", keys.MySQLVariablePrefix + "innodb_log_file_size": "100663296"}}
	}
	mysql := func(age, most, pages float64) seenBy {
		return seenBy{each: nums{keys.MySQLInnoDBBufferPoolPagesFlushed: pages}, level: nums{keys.MySQLRedoAge: age, "most " + keys.MySQLRedoAge: most, keys.MySQLInnoDBRedoLogCapacityResized: 104857600}}
	}
	for name, c := range map[string]struct {
		saw    seenBy
		want   Verdict
		en, zh string
	}{
		"MariaDB 11.8.9 under load": {mariadb(76.4e6, 80.7e6, 0.08), Confirmed,
			"checkpoint age 76 % of the redo log capacity on average, at most 80 % (77 of 96 MiB); the server writes pages to free redo log space from 70.3 % on; 8 pages/s written, 0.080 per transaction",
			"checkpoint age 平均为 redo 日志容量的 76%，最多 80%（96 MiB 中的 77 MiB）；从 70.3% 起，服务器为释放 redo 日志空间而写页；每秒写 8 页，每个事务 0.080 页"},
		"MariaDB after the load": {mariadb(71.2e6, 71.2e6, 0), RuledOut,
			"no pages were written, at a checkpoint age of 71 % of the redo log capacity (68 of 96 MiB); the server writes pages to free redo log space from 70.3 % on",
			"没有写页，checkpoint age 为 redo 日志容量的 71%（96 MiB 中的 68 MiB）；从 70.3% 起，服务器为释放 redo 日志空间而写页"},
		"MariaDB below its limit": {mariadb(44.9e6, 69e6, 0.02), RuledOut,
			"checkpoint age at most 69 % of the redo log capacity (66 of 96 MiB); the server writes pages to free redo log space from 70.3 % on",
			"checkpoint age 最多为 redo 日志容量的 69%（96 MiB 中的 66 MiB）"},
		"MariaDB at its limit for a moment":    {mariadb(50e6, 71e6, 0.02), Unknown, "reached for part of the time only", "仅在部分时间达到该值"},
		"MariaDB at its limit without writing": {mariadb(71.2e6, 74e6, 0.005), Unknown, "but it wrote 0.005 pages per transaction, fewer than with a redo log that is large enough", "每个事务只写出 0.005 页"},
		"MySQL 9.7.4, adaptive flushing alone": {mysql(44.8e6, 75.7e6, 0.5), RuledOut,
			"checkpoint age at most 72 % of the redo log capacity (72 of 100 MiB); the server writes pages to free redo log space from 77.5 % on",
			"从 77.5% 起，服务器为释放 redo 日志空间而写页"},
		"MySQL that waits for its redo log": {mysql(78e6, 86e6, 0.39), Confirmed,
			"checkpoint age 74 % of the redo log capacity on average, at most 82 % (82 of 100 MiB); the server writes pages to free redo log space from 77.5 % on; 39 pages/s written, 0.390 per transaction", "每秒写 39 页"},
	} {
		o := observed(t, "{target: container}", nil)
		o.Arm, o.Base = c.saw.arm("x"), nil
		all := observe(cIO04(), o)
		if len(all) != 1 || all[0].Verdict != c.want || !strings.Contains(all[0].Says, c.en) || !strings.Contains(Say(all[0].Phrases, "zh"), c.zh) {
			t.Errorf("%s: %+v, %s", name, all, Say(all[0].Phrases, "zh"))
		}
	}
}
