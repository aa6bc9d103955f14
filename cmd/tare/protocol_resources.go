package main

// This file checks whether this machine has the resources for all servers of a run by slices at the same
// time: memory, requests of asynchronous I/O, disk.

import (
	"fmt"
	"runtime"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/workload/file"
)

// beside is what a server takes beside its buffer pool, and a data directory beside its
// rows: caches of tables and connections; the system tables, undo, and a redo log of the default size.
const (
	besidePool = 400 << 20
	besideRows = 400 << 20
	rowBytes   = 300       // of a sysbench table with its index
	warehouse  = 130 << 20 // of tpcc
)

func tooLittleMemory(job *runner.Job, source *dataPlan) *experiment.Reason {
	e := job.Experiment
	needed, servers, data := int64(0), 0, dataBytes(job, source)
	for _, arm := range e.Arms {
		n := serversOfArm(job, arm)
		servers += int(n)
		_, files := volumeOf(job, arm, data)
		needed += n * (bufferPool(job, arm) + besidePool + files)
	}
	fs, err := procfs.NewFS("/proc")
	if err != nil {
		return because("memory-error", "error", err.Error())
	}
	m, err := fs.Meminfo()
	if err != nil || m.MemAvailableBytes == nil {
		return because("memory-unknown")
	}
	if free := int64(*m.MemAvailableBytes); needed > free {
		return because("memory", "servers", fmt.Sprint(servers), "needed", fmt.Sprint(needed>>20), "free", fmt.Sprint(free>>20))
	}
	return nil
}

// tooFewRequests says that the kernel's asynchronous I/O does not suffice: a server that gets
// none ends as it starts, after the others have started.
func tooFewRequests(job *runner.Job) *experiment.Reason {
	needed := int64(0)
	for _, arm := range job.Experiment.Arms {
		server := job.Of(arm.Name).Distribution
		needed += serversOfArm(job, arm) * mysqld.AIORequests(job.Experiment.Settings(arm), server.Flavour, server.Version, runtime.NumCPU())
	}
	fs, err := procfs.NewFS("/proc")
	if err != nil {
		return nil // a machine that does not say has no limit that is known
	}
	most, err1 := fs.SysctlInts("fs.aio-max-nr")
	used, err2 := fs.SysctlInts("fs.aio-nr")
	if err1 != nil || err2 != nil || needed <= int64(most[0]-used[0]) {
		return nil
	}
	return because("aio", "servers", fmt.Sprint(serversAtOnce(job)), "needed", fmt.Sprint(needed), "free", fmt.Sprint(most[0]-used[0]), "most", fmt.Sprint(most[0]), "enough", fmt.Sprint(int64(used[0])+needed))
}

// ownRows are those of the tables of a workload file, which count as those of sysbench's:
// how long they are is not known before they are made.
func ownRows(e *experiment.Experiment) (rows int64) {
	if e.WorkloadFile == nil {
		return 0
	}
	w, err := file.Parse(e.WorkloadFile.Name, e.WorkloadFile.Text)
	if err != nil {
		return 0 // the engine's check has said so
	}
	for _, t := range w.Tables {
		rows += t.Rows
	}
	return rows
}

// databasesAtOnce is how many databases of a run by slices there are, each with one or more
// servers.
func databasesAtOnce(e *experiment.Experiment) (n int) {
	for _, arm := range e.Arms {
		n += databasesOfArm(e, arm)
	}
	return n
}

func databasesOfArm(e *experiment.Experiment, arm experiment.Arm) int {
	if arm.Name == e.Baseline && e.Protocol.Twice() {
		return 2
	}
	return 1
}

// serversAtOnce is how many servers of a run by slices there are, all members counted.
func serversAtOnce(job *runner.Job) (n int64) {
	for _, arm := range job.Experiment.Arms {
		n += serversOfArm(job, arm)
	}
	return n
}

// serversOfArm are those that tare starts on this machine.
func serversOfArm(job *runner.Job, arm experiment.Arm) int64 {
	n := int64(databasesOfArm(job.Experiment, arm))
	if place, ok := job.Targets[arm.Name]; ok {
		has := place.Capabilities()
		if has.NeverFrozen {
			return 0
		}
		n *= 1 + int64(has.Copies)
	}
	return n
}

// preparedData is how many prepared data directories a run has: one for each server.
func preparedData(job *runner.Job) int64 {
	servers := map[string]bool{}
	for _, arm := range job.Experiment.Arms {
		servers[job.Of(arm.Name).Distribution.SHA256] = true
	}
	return int64(len(servers))
}

// volumeOf is what the volume of a server of an arm takes; zeros where it has none.
func volumeOf(job *runner.Job, arm experiment.Arm, data int64) (disk, memory int64) {
	if place, ok := job.Targets[arm.Name]; ok {
		if takes := place.Capabilities().Volume; takes != nil {
			return takes(data)
		}
	}
	return 0, 0
}

// dataBytes is about how large a data directory is, before the load.
func dataBytes(job *runner.Job, source *dataPlan) int64 {
	if source != nil {
		return source.size.Bytes + besideRows
	}
	e := job.Experiment
	log := int64(0) // the largest of the arms' servers above its default
	for _, arm := range e.Arms {
		server := job.Of(arm.Name).Distribution
		redo := func(config map[string]string) int64 { return mysqld.RedoLog(config, server.Flavour, server.Version) }
		log = max(log, redo(e.Database.Config)-redo(nil))
	}
	return rowsBytes(e) + besideRows + log
}

// rowsBytes is about how large the rows are that tare makes.
func rowsBytes(e *experiment.Experiment) int64 {
	return (int64(e.Data.Tables)*e.Data.Rows+ownRows(e))*rowBytes + int64(e.Data.Scale)*warehouse
}

func tooLittleDisk(job *runner.Job, source *dataPlan) *experiment.Reason {
	if serversAtOnce(job) == 0 {
		return nil
	}
	if source != nil { // how large the data are is known
		if source.err != nil || !source.known {
			return nil // checkSource says why, or it will be seen when the copies are made
		}
		return shortOfDisk(job, source, source.free, source.dir)
	}
	dir := dataDirectory(job)
	free, ok := backup.Free(dir)
	if !ok {
		return nil // what cannot be asked will be seen when the data are made
	}
	return shortOfDisk(job, nil, free, dir)
}

// shortOfDisk says what keeps the data of all servers from fitting into so many free bytes.
func shortOfDisk(job *runner.Job, source *dataPlan, free int64, dir string) *experiment.Reason {
	each := dataBytes(job, source)
	databases, copies, volumes, filled := 0, preparedData(job), int64(0), false // what the other copies are made of
	for _, arm := range job.Experiment.Arms {
		n := serversOfArm(job, arm)
		if n == 0 {
			continue
		}
		disk, memory := volumeOf(job, arm, each)
		if disk+memory > 0 {
			volumes, filled = volumes+n*disk, true
			continue
		}
		databases, copies = databases+databasesOfArm(job.Experiment, arm), copies+n
	}
	if filled { // volumes are filled one after the other, each from a copy
		databases, copies = databases+1, copies+1
	}
	needed := copies*each + volumes
	if source != nil {
		needed = source.needs(databases) + volumes
	}
	switch {
	case needed <= free:
		return nil
	case source != nil:
		return because("copies", "needed", gib(needed), "free", gib(free), "dir", dir)
	case volumes > 0:
		return because("volumes", "servers", fmt.Sprint(serversAtOnce(job)), "needed", gib(needed), "volumes", gib(volumes), "free", gib(free), "dir", dir)
	}
	return because("disk", "copies", fmt.Sprint(copies), "needed", fmt.Sprint(needed>>20), "free", fmt.Sprint(free>>20))
}
