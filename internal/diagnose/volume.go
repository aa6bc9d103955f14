package diagnose

// This file is what a run shows of a volume whose limit is in no cgroup, such as that of a
// cloud's disk, which the hypervisor or the storage enforces.

import "strconv"

// busyFrom is the part of the time with an operation under way below which no limit of the
// volume is reached: operations above such a limit wait at the device, which then always has
// one under way (Documentation/admin-guide/iostats.rst, field 10).
const busyFrom = 0.5

// outsideCgroup judges a server whose cgroup has no I/O limit. That does not show that the
// volume has none.
func outsideCgroup(o *Observed) []Finding {
	if kind, _ := fact(o.Arm, "container.data.filesystem"); kind == "tmpfs" {
		return list(ruledOut("the data directory is on %s", kind))
	}
	busy, ok := rate(o.Arm, "disk.busy_ns")
	switch share := busy / 1e9; {
	case !ok:
		return list(unknown("its cgroup has no I/O limit; whether the volume has one is not known"))
	case share < busyFrom:
		return list(ruledOut("its cgroup has no I/O limit, and the disk had an operation under way for %.0f %% of the time", 100*share))
	default:
		return list(unknown("its cgroup has no I/O limit, and the disk had an operation under way for %.0f %% of the time; the limit of the volume is not known", 100*share))
	}
}

// surelyBelow is the part of a declared limit below which it is not reached although InnoDB
// does not count all operations: those of the binary log and of temporary files are missing.
const surelyBelow = 0.5

// declaredLimit compares InnoDB's operations with the IOPS that the experiment declares for
// an external server (instance: {iops}); without them the finding is otherwise.
func declaredLimit(o *Observed, otherwise []Finding) []Finding {
	text, _ := fact(o.Arm, "external.instance.iops")
	limit, err := strconv.ParseFloat(text, 64)
	reads, ok := rate(o.Arm, "mysql.innodb_data_reads")
	writes, ok2 := rate(o.Arm, "mysql.innodb_data_writes")
	if err != nil || limit <= 0 || !ok || !ok2 {
		return otherwise
	}
	done := reads + writes
	switch {
	case done < surelyBelow*limit:
		return list(ruledOut("%.0f operations/s of InnoDB, and the experiment declares %.0f IOPS", done, limit))
	case done < boundFrom*limit:
		return list(unknown("%.0f operations/s of InnoDB, which does not count the binary log, and the experiment declares %.0f IOPS", done, limit))
	}
	return list(seen("%.0f operations/s of InnoDB, and the experiment declares %.0f IOPS", done, limit).fix("use a volume with more IOPS or bandwidth"))
}
