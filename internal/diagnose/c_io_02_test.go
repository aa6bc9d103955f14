package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

// TestSyncBesideWaits: the counter of fsyncs has the wait for a CPU after them. Where sessions wait for CPUs nearly as long,
// the volume is not said to be slow.
func TestSyncBesideWaits(t *testing.T) {
	for waited, want := range map[float64]Verdict{0: Confirmed, 1: Confirmed, 3: Unknown} { // of 4 ms of fsyncs in 10 ms
		arm := seenBy{
			each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 2e6},
			facts: said{keys.WatchedLive: "true", keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "1",
				keys.MySQLVariablePrefix + "sync_binlog": "0"},
		}.arm("server")
		arm.Budget = &compare.Budget{Parts: []compare.Spent{{Name: compare.SpentWaiting, Milliseconds: waited}}}
		if all := observe(cIO02(), &Observed{Arm: arm}); len(all) != 1 || all[0].Verdict != want {
			t.Errorf("%.0f ms: %+v, want %s", waited, all, want)
		}
	}
}

// TestUnreadAsItIs: a reading that the account may not have, or that only the server's machine has, is not called one that the
// server does not provide.
func TestUnreadAsItIs(t *testing.T) {
	server := said{keys.WatchedLive: "true", keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "1", keys.MySQLVariablePrefix + "sync_binlog": "1", keys.MySQLVariablePrefix + "performance_schema": "ON"}
	for name, c := range map[string]struct {
		rule  Rule
		facts said
		says  string
	}{
		"without SELECT on performance_schema": {cIO02(), with(server, said{keys.WatchedDenied: "true"}), ": the account may not read performance_schema"},
		"a MariaDB without it":                 {cIO02(), with(server, said{keys.MySQLVariablePrefix + "performance_schema": "OFF"}), ": performance_schema is off on the server"},
		"its process cannot be read":           {mCPU02(), with(server, said{"probe.server.process": "lost: run tare as root"}), ": run tare as root"},
	} {
		arm := seenBy{facts: c.facts}.arm("server")
		arm.Latency, arm.Trials[0].Window.Counts.Transactions = nil, 100
		if all := observe(c.rule, &Observed{Arm: arm}); len(all) != 1 || all[0].Verdict != Unknown || !strings.HasSuffix(all[0].Says, c.says) {
			t.Errorf("%s: %+v, want %q", name, all, c.says)
		}
	}
}
