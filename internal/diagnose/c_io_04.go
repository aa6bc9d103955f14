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
		What: "Redo log space is reusable only after the changed pages are flushed. MySQL flushes aggressively from 77.5 % of the capacity on, and from 83 % on " +
			"all transactions wait. MariaDB flushes from 7/8 of Innodb_checkpoint_max_age on, about 70 % of innodb_log_file_size, and all transactions wait at " +
			"Innodb_checkpoint_max_age, about 80 %. Pages that change often are written again and again. The cause is present only where the age reaches the " +
			"limit and pages are written meanwhile: an idle server can keep a high age.",
		Impact:   "Measured: 0.28 to 0.39 pages written per transaction with 100 MiB, 0.08 with 2 GiB. For throughput see M-REDO-01.",
		Fix:      "Set innodb_redo_log_capacity (8.0.30 and later, dynamic) or innodb_log_file_size to the redo written in about an hour, 1 to 16 GiB.",
		Sources:  []string{mysqlRedo, mariadbInnoDB, kubeblocks2023, measured},
		Counters: []string{keys.MySQLRedoAge, keys.MySQLInnoDBCheckpointMaxAge, keys.MySQLInnoDBRedoLogCapacityResized, keys.MySQLInnoDBBufferPoolPagesFlushed},
		Run:      redoTooSmall,
	}
}

// ageFrom is the part of the capacity from which MySQL's flushing is driven by the log
// (measured, MySQL 8.4.13 and 9.7.4, with a log of 100 MiB and more). Of a log of a few MiB a
// fixed part is held back, so that it begins earlier: at 0.73 of 8 MiB. In a run the pages
// written for each transaction, against the baseline's, decide there.
const (
	ageFrom      = 0.775
	ageFromSmall = 0.70
	smallRedo    = 64 << 20
	ageOfSmall   = 0.50
	pagesOfSmall = 0.5  // more than the baseline writes, and twice as many
	fewPages     = 0.02 // for each transaction: a quarter of what was measured with a redo log of 2 GiB
	nearFrom     = 0.9  // of the limit, the mean of an age that rises to it and falls with each checkpoint
)

// asyncOfMax is the part of Innodb_checkpoint_max_age from which MariaDB writes pages for the
// log: max_modified_age_async of log_t::set_capacity (storage/innobase/log/log0log.cc). With
// innodb_max_dirty_pages_pct_lwm=0, the default, it writes few before.
const asyncOfMax = 7.0 / 8

// flushesFrom is the checkpoint age from which the server writes pages to free redo log space.
func flushesFrom(arm *compare.Arm, capacity float64) (age float64, ok bool) {
	if isMariaDB(arm) {
		most, _, ok := level(arm, keys.MySQLInnoDBCheckpointMaxAge)
		return asyncOfMax * most, ok && most > 0
	}
	if capacity < smallRedo {
		return ageFromSmall * capacity, true
	}
	return ageFrom * capacity, true
}

func redoTooSmall(o *Observed) []Finding {
	age, most, ok := level(o.Arm, keys.MySQLRedoAge)
	if !ok {
		return unread("the checkpoint age")
	}
	capacity, known := redoCapacity(o.Arm)
	if !known {
		return unread("the redo log capacity in effect")
	}
	from, known := flushesFrom(o.Arm, capacity)
	if !known {
		return unread("Innodb_checkpoint_max_age")
	}
	mine, ok := each(o.Arm, keys.MySQLInnoDBBufferPoolPagesFlushed)
	theirs, ok2 := each(o.Base, keys.MySQLInnoDBBufferPoolPagesFlushed)
	driven := ok && ok2 && age/capacity >= ageOfSmall && mine >= theirs+pagesOfSmall && mine >= 2*theirs
	written, counted := rate(o.Arm, keys.MySQLInnoDBBufferPoolPagesFlushed)
	limit := phrase("the server writes pages to free redo log space from %.1f %% on", 100*from/capacity)
	mib := func(v float64) float64 { return v / (1 << 20) }
	switch {
	case driven:
	case most < from:
		return list(ruledOut("checkpoint age at most %.0f %% of the redo log capacity (%.0f of %.0f MiB); %s", 100*most/capacity, mib(most), mib(capacity), limit))
	case age < nearFrom*from:
		return list(unknown("checkpoint age %.0f %% of the redo log capacity on average, at most %.0f %% (%.0f of %.0f MiB); %s, and that was reached for part of the time only", 100*age/capacity, 100*most/capacity, mib(most), mib(capacity), limit))
	case !counted:
		return unread("Innodb_buffer_pool_pages_flushed")
	case written <= 0:
		return list(ruledOut("no pages were written, at a checkpoint age of %.0f %% of the redo log capacity (%.0f of %.0f MiB); %s", 100*age/capacity, mib(age), mib(capacity), limit))
	}
	if !driven && ok && mine < fewPages {
		return list(unknown("checkpoint age %.0f %% of the redo log capacity on average, at most %.0f %% (%.0f of %.0f MiB); %s, but it wrote %.3f pages per transaction, fewer than with a redo log that is large enough", 100*age/capacity, 100*most/capacity, mib(most), mib(capacity), limit, mine))
	}
	f := seen("checkpoint age %.0f %% of the redo log capacity on average, at most %.0f %% (%.0f of %.0f MiB); %s", 100*age/capacity, 100*most/capacity, mib(most), mib(capacity), limit)
	if counted {
		f = f.and("; %.0f pages/s written", written)
	}
	if ok {
		f = f.and(", %.3f per transaction", mine)
	}
	if ok && ok2 {
		f = f.and(", %.3f in %s", theirs, o.Base.Name)
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
