package diagnose

import (
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
