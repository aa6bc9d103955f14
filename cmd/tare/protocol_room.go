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
// rows: caches of tables and connections; the system tables, undo and redo.
const (
	besidePool = 400 << 20
	besideRows = 400 << 20
	rowBytes   = 300       // of a sysbench table with its index
	warehouse  = 130 << 20 // of tpcc
)

func tooLittleMemory(job *runner.Job) *experiment.Reason {
	e := job.Experiment
	needed, servers := int64(0), 0
	for _, arm := range e.Arms {
		n := serversOfArm(job, arm)
		servers += int(n)
		needed += n * (mysqld.BufferPool(e.Settings(arm), job.Distribution.Flavour, job.Distribution.Version) + besidePool)
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
		needed += serversOfArm(job, arm) * mysqld.AIORequests(job.Experiment.Settings(arm), job.Distribution.Flavour, job.Distribution.Version, runtime.NumCPU())
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
func databasesAtOnce(e *experiment.Experiment) int {
	if e.Protocol.Twice() {
		return len(e.Arms) + 1
	}
	return len(e.Arms)
}

// serversAtOnce is how many servers of a run by slices there are, all members counted.
func serversAtOnce(job *runner.Job) (n int64) {
	for _, arm := range job.Experiment.Arms {
		n += serversOfArm(job, arm)
	}
	return n
}

func serversOfArm(job *runner.Job, arm experiment.Arm) int64 {
	n := int64(1)
	if place, ok := job.Targets[arm.Name]; ok {
		n += int64(place.Capabilities().Copies)
	}
	if arm.Name == job.Experiment.Baseline && job.Experiment.Protocol.Twice() {
		n *= 2
	}
	return n
}

func tooLittleDisk(job *runner.Job, source *dataPlan) *experiment.Reason {
	e := job.Experiment
	if source != nil { // how large the data are is known
		n := databasesAtOnce(e)
		if source.shortOf(n) == "" {
			return nil
		}
		return because("copies", "needed", gib(source.needs(n)), "free", gib(source.free), "dir", source.dir)
	}
	servers := serversAtOnce(job)
	each := (int64(e.Data.Tables)*e.Data.Rows+ownRows(e))*rowBytes + int64(e.Data.Scale)*warehouse + besideRows
	free, ok := backup.Free(dataDirectory(job))
	if !ok {
		return nil // what cannot be asked will be seen when the data are made
	}
	// One more: the data that the copies are made of.
	if (servers+1)*each > free {
		return because("disk", "copies", fmt.Sprint(servers+1), "needed", fmt.Sprint((servers+1)*each>>20), "free", fmt.Sprint(free>>20))
	}
	return nil
}
