package main

// This file chooses the protocol of a run: slices where engine, targets, memory and disk
// allow them, windows elsewhere and where the experiment asks for them (docs/method.md,
// Slices).

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/workload/file"
)

// choosePlan draws the plan, with the protocol that fits. A protocol that the file asks
// for and that is not possible is a problem; nothing is taken in its place.
func choosePlan(job *runner.Job) experiment.Problems {
	e := job.Experiment
	job.Plan = experiment.NewPlan(e)
	memory, obstacle := obstacles(job)
	if obstacle != "" && obstacle != noTargets && e.Protocol.Kind == experiment.KindSlices {
		return experiment.Problems{e.Problem("protocol.kind", "slices are not possible: %s; write kind: windows, or leave kind out", obstacle)}
	}
	job.Plan = job.Plan.Interleave(e, interleaving(e, memory, obstacle))
	return nil
}

// interleaving is the protocol of an experiment that nothing or an obstacle keeps from
// slices.
func interleaving(e *experiment.Experiment, memories []layer.Memory, obstacle string) experiment.Interleaving {
	switch {
	case e.Protocol.Kind == experiment.KindWindows:
		return experiment.Interleaving{Kind: experiment.KindWindows, Why: "the experiment asks for windows"}
	case obstacle != "":
		return experiment.Interleaving{Kind: experiment.KindWindows, Why: obstacle}
	}
	longest, period := layer.Longest(memories)
	s := e.Protocol.Slices(longest.For, period)
	why := fmt.Sprintf("engine, targets, memory and disk allow them; the lead-in is that of the layer %s: %s", longest.Layer, longest.Source)
	if e.Protocol.LeadIn != nil {
		why = fmt.Sprintf("engine, targets, memory and disk allow them; the experiment sets the lead-in (the layer %s needs %v)", longest.Layer, longest.For)
	}
	return experiment.Interleaving{Kind: experiment.KindSlices, Why: why, Slices: &s}
}

// noTargets is an obstacle whose problems are reported by themselves.
const noTargets = "the targets could not be made"

// obstacles are the memories of all layers, and the first reason why slices are not
// possible.
func obstacles(job *runner.Job) (all []layer.Memory, why string) {
	e := job.Experiment
	if job.Engine != nil && !loadgen.TakesTurns(job.Engine) {
		return nil, fmt.Sprintf("the engine %s cannot take turns; load: {engine: tare} can", job.Engine.Name())
	}
	for _, arm := range e.Arms {
		place, ok := job.Targets[arm.Name]
		if !ok {
			return nil, noTargets
		}
		memories := place.Capabilities().Memories
		if len(memories) == 0 {
			return nil, fmt.Sprintf("servers of target %s (arm %s) cannot be frozen between their turns", arm.Target, arm.Name)
		}
		for _, m := range memories {
			if m.For > experiment.MaxLeadIn && e.Protocol.LeadIn == nil {
				return nil, fmt.Sprintf("the layer %s of arm %s remembers for %v, and a lead-in of more than %v would be most of a slice", m.Layer, arm.Name, m.For, experiment.MaxLeadIn)
			}
			all = append(all, m)
		}
	}
	return all, cmp.Or(tooLittleMemory(job), tooLittleDisk(job))
}

// beside is what a server takes beside its buffer pool, and a data directory beside its
// rows: caches of tables and connections; the system tables, undo and redo.
const (
	besidePool = 400 << 20
	besideRows = 400 << 20
	rowBytes   = 300       // of a sysbench table with its index
	warehouse  = 130 << 20 // of tpcc
)

func tooLittleMemory(job *runner.Job) string {
	e := job.Experiment
	needed, servers := int64(0), 0
	for _, arm := range e.Arms {
		n := int64(1)
		if arm.Name == e.Baseline && e.Protocol.Twice() {
			n = 2
		}
		servers += int(n)
		needed += n * (mysqld.BufferPool(e.Settings(arm), job.Distribution.Flavour, job.Distribution.Version) + besidePool)
	}
	fs, err := procfs.NewFS("/proc")
	if err != nil {
		return "the machine's memory cannot be read: " + err.Error()
	}
	m, err := fs.Meminfo()
	if err != nil || m.MemAvailableBytes == nil {
		return "the machine's free memory cannot be read"
	}
	if free := int64(*m.MemAvailableBytes); needed > free {
		return fmt.Sprintf("%d servers at once need about %d MiB of memory, and %d MiB are available", servers, needed>>20, free>>20)
	}
	return ""
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

func tooLittleDisk(job *runner.Job) string {
	e := job.Experiment
	servers := int64(len(e.Arms))
	if e.Protocol.Twice() {
		servers++
	}
	each := (int64(e.Data.Tables)*e.Data.Rows+ownRows(e))*rowBytes + int64(e.Data.Scale)*warehouse + besideRows
	dir := cmp.Or(e.Data.Directory, job.State.Dir)
	var st unix.Statfs_t
	for unix.Statfs(dir, &st) != nil {
		if dir == "/" || !strings.Contains(dir, "/") {
			return "" // what cannot be asked will be seen when the data are made
		}
		dir = filepath.Dir(dir) // it will be made
	}
	// One more: the data that the copies are made of.
	if free := int64(st.Bavail) * st.Bsize; (servers+1)*each > free {
		return fmt.Sprintf("%d copies of the data need about %d MiB of disk, and %d MiB are free", servers+1, (servers+1)*each>>20, free>>20)
	}
	return ""
}
