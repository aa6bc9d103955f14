package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

func cIO02() Rule {
	return Rule{
		ID: "C-IO-02", Title: "Commits wait for fsync", Severity: Warning,
		What: "With innodb_flush_log_at_trx_commit=1 and sync_binlog=1, a commit waits until the redo log and the binary log are on the volume (fsync). " +
			"Sessions that commit at the same time share an fsync, but each of them waits for it.",
		Impact: "Commit latency is that of the volume's fsync. At a fixed number of connections throughput falls accordingly.",
		Fix: "Use a volume with a lower fsync latency (local NVMe, a faster storage class). innodb_flush_log_at_trx_commit=2 and " +
			"sync_binlog=0 remove the wait, but the last transactions can be lost when the machine fails.",
		Sources:  []string{mysqlBinlog, mysqlInnoDB, kubeblocks2023},
		Counters: []string{keys.MySQLFileRedoSyncNS, keys.MySQLFileBinlogSyncNS},
		Run:      waitsForSync,
		Watched:  true,
	}
}

// syncFrom is the part of a transaction's time from which the fsyncs of its commit count;
// syncsFrom are the fsyncs a second below which transactions do not wait for them: the log is flushed
// once a second in any case.
const (
	syncFrom  = 0.2
	syncsFrom = 5
)

// waitsForSync is for servers that another program loads: in a run, the same settings on the
// baseline have the same fsyncs, and M-DUR-01 compares the settings.
func waitsForSync(o *Observed) []Finding {
	ms, ok := transaction(o.Arm)
	trx, ok2 := fact(o.Arm, keys.MySQLVariablePrefix+"innodb_flush_log_at_trx_commit")
	binlog, ok3 := fact(o.Arm, keys.MySQLVariablePrefix+"sync_binlog")
	if !ok && noneEnded(o.Arm) {
		return list(unknown("no transaction completed in the span"))
	}
	switch {
	case !ok:
		return unread("the time of a transaction (performance_schema)")
	case !ok2 || !ok3:
		return unread("innodb_flush_log_at_trx_commit or sync_binlog")
	}
	if f, few := fewEnded(o); few {
		return list(f)
	}
	if share, _, ok := o.Arm.Throttled(); ok && share >= throttledFrom {
		return list(unknown("the CPU quota throttles it (C-CPU-01), and an fsync that ends meanwhile counts as longer"))
	}
	redo, often, ok := syncTime(o.Arm, "redo")
	switch _, timesFiles := rate(o.Arm, keys.MySQLFileDataReadNS); {
	case ok || !syncsCommits(trx):
	case timesFiles: // MariaDB from 10.8 on has no instrument for the file (measured with 10.11.19, 11.4.5 and 11.8.9)
		return list(unknown("this MariaDB does not time the fsyncs of its redo log"))
	default:
		return unread("the time of fsyncs (performance_schema)")
	}
	if !syncsCommits(trx) {
		redo, often = 0, 0
	}
	log, n, timed := binlogWait(o.Arm, binlog)
	redo, often = redo+log, often+n
	if !timed && (often < syncsFrom || redo/ms < syncFrom) {
		return unread("the time of binary log fsyncs (performance_schema)")
	}
	if often < syncsFrom {
		return list(ruledOut("innodb_flush_log_at_trx_commit=%s, sync_binlog=%s: %.1f fsyncs/s that commits wait for, fewer than %d", trx, binlog, often, syncsFrom))
	}
	if redo/ms < syncFrom {
		return list(ruledOut("innodb_flush_log_at_trx_commit=%s, sync_binlog=%s: %.1f fsyncs/s that commits wait for, %.2f ms for each commit, %.1f %% of a transaction's time",
			trx, binlog, often, redo, 100*redo/ms))
	}
	if redo > ms { // the mean is that of all transactions, and reads with autocommit are some
		return list(unknown("fsyncs of the logs take %.2f ms, more than a mean transaction (%.2f ms): most transactions do not wait for them, and the counters do not show how many do", redo, ms))
	}
	if waited := waitedForCPU(o.Arm); (redo-waited)/ms < syncFrom {
		return list(unknown("innodb_flush_log_at_trx_commit=%s, sync_binlog=%s: a commit waits %.2f ms for the fsyncs of its logs, by their own counter, while its session waits %.2f ms for a CPU; an fsync after which there is no CPU counts as longer, and how long the volume takes is not known; what fewer fsyncs would give is measured with: tare init --compare %s",
			trx, binlog, redo, waited, verbatim(fewerSyncs(trx, binlog))))
	}
	f := seen("innodb_flush_log_at_trx_commit=%s, sync_binlog=%s: a commit waits %.2f ms for the fsyncs of its logs, by their own counter %.0f %% of a transaction's time (%.2f ms); %.1f fsyncs/s",
		trx, binlog, redo, 100*redo/ms, ms, often).fix("use a volume with a lower fsync latency; what fewer fsyncs would give, at the risk of losing commits, is measured with: tare init --compare %s", verbatim(fewerSyncs(trx, binlog)))
	if !timed {
		f = f.and("; the fsyncs of the binary log were not read and are not in these figures")
	}
	return list(f)
}

// waitedForCPU is how long a transaction's session waited for a CPU, in ms; 0 where that is not known.
func waitedForCPU(arm *compare.Arm) float64 {
	if arm.Budget == nil {
		return 0
	}
	for _, p := range arm.Budget.Parts {
		if p.Name == compare.SpentWaiting {
			return p.Milliseconds
		}
	}
	return 0
}

// fewerSyncs are the settings to compare: of the redo log, or of the binary log where the redo log is not flushed at a commit.
func fewerSyncs(trx, binlog string) string {
	if syncsCommits(trx) {
		return "innodb_flush_log_at_trx_commit=" + trx + ",2"
	}
	return "sync_binlog=" + binlog + ",0"
}

// binlogWait is what commits wait for the binary log's fsyncs, as syncTime: none without a binary log, and none that
// each commit waits for unless sync_binlog is 1.
func binlogWait(arm *compare.Arm, sync string) (ms, perSecond float64, ok bool) {
	if has, known := fact(arm, keys.MySQLVariablePrefix+"log_bin"); known && manifest.IsOff(has) || sync != "1" {
		return 0, 0, true
	}
	return syncTime(arm, "binlog")
}

// syncTime is the mean time of an fsync of one kind of log file in milliseconds, and how many
// there are a second.
func syncTime(arm *compare.Arm, log string) (ms, perSecond float64, ok bool) {
	ns, ok := rate(arm, "mysql.file."+log+".sync_ns")
	n, ok2 := rate(arm, "mysql.file."+log+".sync_count")
	if !ok || !ok2 {
		return 0, 0, false
	}
	if n <= 0 {
		return 0, 0, true
	}
	return ns / n / 1e6, n, true
}
