package diagnose

// This file is what a run shows of a volume whose limit is in no cgroup, such as that of a
// cloud's disk, which the hypervisor or the storage enforces.

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

// busyFrom is the part of the time with an operation under way below which no limit of the
// volume is reached: operations above such a limit wait at the device, which then always has
// one under way (Documentation/admin-guide/iostats.rst, field 10).
const busyFrom = 0.5

// outsideCgroup judges a server whose cgroup has no I/O limit. That does not show that the
// volume has none.
func outsideCgroup(o *Observed) []Finding {
	if kind, _ := fact(o.Arm, keys.ContainerDataFilesystem); kind == "tmpfs" {
		return list(ruledOut("the data directory is on %s", kind))
	}
	busy, ok := rate(o.Arm, keys.DiskBusyNS)
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

// declaredLimit compares the operations of the server with the IOPS that are declared for its
// volume; where neither is known, and where they do not decide, the finding is otherwise.
func declaredLimit(o *Observed, otherwise []Finding) []Finding {
	limit, by := declaredIOPS(o.Arm)
	if limit <= 0 {
		return otherwise
	}
	if done, ok := sumOf(o.Arm, keys.CgroupIOReads, keys.CgroupIOWrites); ok {
		if done < boundFrom*limit {
			return otherwise // its bandwidth may be reached, and operations above 256 KiB count as several
		}
		return list(seen("%.0f of %.0f IOPS, which %s declares", done, limit, by).fix("use a volume with more IOPS or bandwidth"))
	}
	done, ok := sumOf(o.Arm, keys.MySQLInnoDBDataReads, keys.MySQLInnoDBDataWrites)
	switch {
	case !ok:
		return otherwise
	case done < surelyBelow*limit && !nearBandwidth(o.Arm):
		return list(ruledOut("%.0f operations/s of InnoDB, and %s declares %.0f IOPS", done, by, limit))
	case done < surelyBelow*limit:
		return otherwise
	case done < boundFrom*limit:
		return list(unknown("%.0f operations/s of InnoDB, which does not count the binary log, and %s declares %.0f IOPS", done, by, limit))
	case !direct(o.Arm):
		return list(unknown("%.0f operations/s of InnoDB, of which the page cache can serve some, and %s declares %.0f IOPS", done, by, limit))
	}
	return list(seen("%.0f operations/s of InnoDB, and %s declares %.0f IOPS", done, by, limit).fix("use a volume with more IOPS or bandwidth"))
}

// direct is whether InnoDB's operations reach the volume: it bypasses the page cache for data
// files, and syncs the redo log at each commit.
func direct(arm *compare.Arm) bool {
	method, _ := fact(arm, keys.MySQLVariablePrefix+"innodb_flush_method")
	trx, _ := fact(arm, keys.MySQLVariablePrefix+"innodb_flush_log_at_trx_commit")
	return strings.HasPrefix(method, "O_DIRECT") && syncsCommits(trx)
}

// nearBandwidth is whether InnoDB reads and writes half of the bandwidth or more that a StorageClass
// declares, or may do so because that was not read; gp3, also where the provisioner may choose it, has 125 MiB/s without a declaration
// (docs.aws.amazon.com, General Purpose SSD volumes).
func nearBandwidth(arm *compare.Arm) bool {
	text, _ := fact(arm, keys.PodVolumeParameterThroughput)
	most, err := strconv.ParseFloat(text, 64)
	if err != nil {
		provisioner, _ := fact(arm, keys.PodVolumeProvisioner)
		if kind, _ := fact(arm, keys.PodVolumeParameterType); !isGP3(provisioner, kind) && (kind != "" || provisioner != inTreeEBS) {
			return false
		}
		most = 125
	}
	bytes, ok := sumOf(arm, keys.MySQLInnoDBDataRead, keys.MySQLInnoDBDataWritten)
	return !ok || bytes >= surelyBelow*most*(1<<20)
}

// sumOf is the sum of two counters a second.
func sumOf(arm *compare.Arm, one, other string) (perSecond float64, ok bool) {
	a, ok := rate(arm, one)
	b, ok2 := rate(arm, other)
	return a + b, ok && ok2
}

// declaredIOPS is the limit of reads and writes together, and who declares it: the experiment of
// an external server, or the class of a pod's volume. 0 is unknown.
func declaredIOPS(arm *compare.Arm) (perSecond float64, by Phrase) {
	declared := func(key string) int64 {
		text, _ := fact(arm, key)
		n, _ := strconv.ParseInt(text, 10, 64) // text that is not a number declares nothing
		return n
	}
	if n := declared(keys.ExternalInstanceIOPS); n > 0 {
		return float64(n), term("the experiment")
	}
	for _, key := range []string{keys.PodVolumeAttributesClass, keys.PodVolumeParameterIOPSPerGB} { // they change what the class says
		if text, _ := fact(arm, key); text != "" {
			return 0, Phrase{}
		}
	}
	provisioner, _ := fact(arm, keys.PodVolumeProvisioner)
	kind, _ := fact(arm, keys.PodVolumeParameterType)
	return float64(iopsOfClass(provisioner, kind, declared(keys.PodVolumeParameterIOPS))), term("the StorageClass")
}
