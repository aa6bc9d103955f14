package main

// This file is what `tare check` says of the machine as it is now.

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// machineWatch is a machine that is watched while a file is checked.
type machineWatch struct {
	others *probe.Others
	before probe.Machine
	err    error
	least  time.Duration // of the watch; 0 for none
}

// watchMachine begins a watch that lasts for least or longer.
func watchMachine(least time.Duration) *machineWatch {
	w := &machineWatch{others: &probe.Others{Root: os.DirFS("/"), Own: []int{os.Getpid()}}, least: least}
	if least > 0 {
		w.before, w.err = probe.ReadMachine(w.others)
	}
	return w
}

// end is what the machine did since the watch began. known is false where there was none.
func (w *machineWatch) end(ctx context.Context) (load probe.Load, known bool, err error) {
	if w.least == 0 || w.err != nil {
		return load, false, w.err
	}
	select {
	case <-ctx.Done():
		return load, false, ctx.Err()
	case <-time.After(time.Until(w.before.At.Add(w.least))):
	}
	after, err := probe.ReadMachine(w.others)
	if err != nil {
		return load, false, err
	}
	return after.Since(w.before), true, nil
}

// machineLines say what else runs on the machine and what that does to a run of the job.
func machineLines(ctx context.Context, w *machineWatch, job runner.Job) ([]string, error) {
	load, known, err := w.end(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("watch machine: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("watch machine: %w", err)
	case !known:
		return nil, nil
	}
	lines := []string{loadLine(load)}
	if notHere(job) {
		switch {
		case loadElsewhere(job):
			return append(lines, "servers and load are in pods: what else runs here matters only if nodes of the cluster are on this machine, as with kind"), nil
		case slices.ContainsFunc(job.Experiment.Arms, inCluster):
			return append(lines, "the servers are in pods: what else runs here delays the load generator, and the servers only if nodes of the cluster are on this machine, as with kind"), nil
		}
		return append(lines, "no server runs on this machine: what else runs here delays the load generator only"), nil
	}
	spread := campaign.Recall(job.State.Dir, job.Experiment, job.Plan)
	return append(lines, campaign.Beside(job.Experiment, job.Plan, spread, load.Others, load.Steal)...), nil
}

// notHere says that no server of the job is on this machine, as far as tare knows. A server that somebody else started
// is here where its address does not leave the machine.
func notHere(job runner.Job) bool {
	for _, place := range job.Targets {
		if place.Data() == target.Files {
			return false
		}
		if at := place.Capabilities().Endpoint; at != nil && at.OnThisMachine() {
			return false
		}
	}
	return true
}

// loadElsewhere says that the load of every arm comes from pods.
func loadElsewhere(job runner.Job) bool {
	if job.From != nil {
		return true
	}
	for _, place := range job.Targets {
		if place.Capabilities().Generators == 0 {
			return false
		}
	}
	return true
}

// loadLine is the machine's load on one line.
func loadLine(l probe.Load) string {
	var names []string
	for _, b := range l.Busiest {
		names = append(names, fmt.Sprintf("%s %s", safe.Name(b.Name), wholePercent(b.Of)))
	}
	used := "other processes used " + wholePercent(l.Others) + " of the CPU time"
	if len(names) > 0 {
		used += " (" + strings.Join(names, ", ") + ")"
	}
	parts := []string{used, "steal " + wholePercent(l.Steal)}
	if math.IsNaN(l.CPU) {
		parts = append(parts, "pressure unknown (the kernel has no PSI)")
	} else {
		parts = append(parts, fmt.Sprintf("tasks waited for CPU %s of the time, for memory %s, for I/O %s", wholePercent(l.CPU), wholePercent(l.Memory), wholePercent(l.IO)))
	}
	if l.Disk.Name != "" {
		parts = append(parts, fmt.Sprintf("disk %s was busy for %s", safe.Name(l.Disk.Name), wholePercent(l.Disk.Of)))
	}
	return fmt.Sprintf("machine, watched for %.1f s: %s", l.Over.Seconds(), strings.Join(parts, "; "))
}

func wholePercent(share float64) string {
	if math.IsNaN(share) {
		return "unknown"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
