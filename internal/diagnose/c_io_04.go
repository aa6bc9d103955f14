package diagnose

import (
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func cIO04() Rule {
	return Rule{
		ID: "C-IO-04", Title: "Redo log too small for the write rate", Severity: Error,
		What: "Redo log space is reusable only after the changed pages are flushed. From 77.5 % of the capacity on InnoDB flushes aggressively, and from 83 % " +
			"on all transactions wait. Pages that change often are written again and again.",
		Impact:   "Measured: 0.28 to 0.39 pages written per transaction with 100 MiB, 0.08 with 2 GiB. For throughput see M-REDO-01.",
		Fix:      "Set innodb_redo_log_capacity (8.0.30 and later, dynamic) or innodb_log_file_size to the redo written in about an hour, 1 to 16 GiB.",
		Sources:  []string{mysqlRedo, kubeblocks2023, measured},
		Counters: []string{keys.MySQLRedoAge, keys.MySQLInnoDBRedoLogCapacityResized, keys.MySQLInnoDBBufferPoolPagesFlushed},
		Run:      redoTooSmall,
	}
}

// ageFrom is the age of the oldest change, as a part of the capacity, from which
// flushing is driven by the log; it begins at 0.775 (measured, MySQL 8.4.13).
// Of a log of a few MiB a fixed part is held back, so that it begins earlier;
// there the pages written for each transaction, against the baseline's, decide.
const (
	ageFrom      = 0.70
	ageOfSmall   = 0.50
	pagesOfSmall = 0.5 // more than the baseline writes, and twice as many
)

func redoTooSmall(o *Observed) []Finding {
	_, age, ok := level(o.Arm, keys.MySQLRedoAge)
	if !ok {
		return unread("the checkpoint age")
	}
	capacity, known := redoCapacity(o.Arm)
	if !known {
		return unread("the redo log capacity in effect")
	}
	mine, ok := each(o.Arm, keys.MySQLInnoDBBufferPoolPagesFlushed)
	theirs, ok2 := each(o.Base, keys.MySQLInnoDBBufferPoolPagesFlushed)
	driven := ok && ok2 && age/capacity >= ageOfSmall && mine >= theirs+pagesOfSmall && mine >= 2*theirs
	if age/capacity < ageFrom && !driven {
		return list(ruledOut("checkpoint age at most %.0f %% of the redo log capacity (%.0f of %.0f MiB)", 100*age/capacity, age/(1<<20), capacity/(1<<20)))
	}
	f := seen("checkpoint age %.0f %% of the redo log capacity (%.0f of %.0f MiB), so InnoDB flushes pages to free redo log space", 100*age/capacity, age/(1<<20), capacity/(1<<20))
	if ok {
		f = f.and("; %.2f pages written per transaction", mine)
	}
	if ok && ok2 {
		f = f.and(", %.2f in %s", theirs, o.Base.Name)
	}
	if capacity >= mostRedo {
		return list(f.fix("use faster storage: the redo log has %.0f GiB", capacity/(1<<30)))
	}
	more := min(mostRedo, max(2<<30, math.Ceil(4*capacity/(1<<30))*(1<<30)))
	name := "innodb_redo_log_capacity"
	if _, ok := variable(o.Arm, name); !ok {
		name = "innodb_log_file_size"
		more /= redoFiles(o.Arm)
	}
	size := manifest.MySize(int64(more))
	return list(f.fix("%s=%s", name, size).change("{config: {%s: %s}}", name, size))
}

// mostRedo is the largest redo log in bytes that is proposed: the crash recovery reads all of it,
// and InnoDB keeps all of its files on the volume.
const mostRedo = 16 << 30

// redoCapacity is in bytes: what MySQL 8.0.30 and later says is in effect, or of the files before and
// in MariaDB, whose only file it is from 10.5 on. A record of an older tare has the variables alone.
func redoCapacity(arm *compare.Arm) (float64, bool) {
	if v, _, ok := level(arm, keys.MySQLInnoDBRedoLogCapacityResized); ok && v > 0 {
		return v, true
	}
	text := func(name string) string { v, _ := fact(arm, keys.MySQLVariablePrefix+name); return v }
	if option.FilesMaySizeRedo(text) {
		return 0, false
	}
	if v, ok := variable(arm, "innodb_redo_log_capacity"); ok && v > 0 {
		return v, true
	}
	size, ok := variable(arm, "innodb_log_file_size")
	return size * redoFiles(arm), ok && size > 0
}

// redoFiles is how many files innodb_log_file_size is the size of.
func redoFiles(arm *compare.Arm) float64 {
	n, ok := variable(arm, "innodb_log_files_in_group")
	if !ok || n < 1 {
		return 1
	}
	return n
}
