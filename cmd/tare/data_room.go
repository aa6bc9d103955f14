package main

// This file refuses an experiment whose data cannot fit on the disk, before anything is started.

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// The least that data take, because an estimate that is too large would refuse a run that is possible: a row of a
// sysbench table in InnoDB is 4 + 4 + 120 + 60 bytes of columns and 20 of headers (MySQL Reference Manual, InnoDB Row
// Formats) without its index, pages are never quite full, and a warehouse of tpcc has about 500,000 rows of 75 MB. An
// empty data directory has a redo log, system tables and undo tablespaces.
const (
	leastRow       = 208
	leastWarehouse = 75_000_000
	leastDirectory = 100 << 20
)

// checkRoom refuses data that tare makes and of which the disk cannot have the prepared copy and one for a server:
// those are there at once, whatever the protocol. Data that a run before prepared are there already.
func checkRoom(job *runner.Job) experiment.Problems {
	least := leastData(job)
	if least == 0 {
		return nil
	}
	dir := dataDirectory(job)
	free, known := backup.Free(dir)
	if !known {
		return nil // what cannot be asked will be seen when the data are made
	}
	return tooLarge(job.Experiment, roomNeeded(job, least, dir), least, free, dir)
}

// tooLarge is what is wrong with data that need more than is free.
func tooLarge(e *experiment.Experiment, needed, least, free int64, dir string) experiment.Problems {
	if needed <= free {
		return nil
	}
	what := "data.rows"
	if e.Data.Scale > 0 {
		what = "data.scale"
	}
	return experiment.Problems{e.Problem(what, "the data take at least %s; the prepared data and a copy for one server need %s, and %s are free in %s; make the data smaller, free some space (tare clean removes what killed runs left), or name another disk with data.directory",
		gib(least), gib(needed), gib(free), dir)}
}

// leastData is the least that one data directory takes; 0 where that is not known, or no server of the run has files of
// tare's.
func leastData(job *runner.Job) int64 {
	e := job.Experiment
	ours := slices.ContainsFunc(e.Arms, func(arm experiment.Arm) bool {
		place, ok := job.Targets[arm.Name]
		return ok && place.Data() == target.Files
	})
	if !ours || e.Data.From != nil {
		return 0
	}
	if e.Data.Scale > 0 {
		return leastDirectory + int64(e.Data.Scale)*leastWarehouse
	}
	if !ofSysbenchRows(e) {
		return 0
	}
	return leastDirectory + int64(e.Data.Tables)*e.Data.Rows*leastRow
}

// ofSysbenchRows says that the tables are those of sysbench, without options that may compress them.
func ofSysbenchRows(e *experiment.Experiment) bool {
	for name := range e.Load.Options {
		if strings.Contains(name, "table") || strings.Contains(name, "engine") {
			return false
		}
	}
	return slices.ContainsFunc([]string{"oltp_", "select_random_", "mix_"}, func(prefix string) bool { return strings.HasPrefix(e.Load.Workload, prefix) })
}

// roomNeeded is the space of what is there at once: the prepared data, unless a run before made them, and a copy for
// one server, unless it shares their blocks or is on a volume.
func roomNeeded(job *runner.Job, least int64, dir string) (needed int64) {
	if !job.Restored() {
		needed = least
	}
	if backup.Reflinks("", dir) {
		return needed
	}
	onDisk := slices.ContainsFunc(job.Experiment.Arms, func(arm experiment.Arm) bool {
		disk, memory := volumeOf(job, arm, least)
		return disk+memory == 0
	})
	if onDisk {
		needed += least
	}
	return needed
}
