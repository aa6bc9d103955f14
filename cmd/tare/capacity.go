package main

// This file is what `tare check` says of a search for the capacity (load.find).

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/capacity"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/runner"
)

// checkFind refuses an engine that does not measure latency from the due time, because it would
// find a capacity that hides every stall, and a load whose steps would disturb each other.
func checkFind(job *runner.Job) experiment.Problems {
	e := job.Experiment
	switch {
	case e.Load.Find == nil:
		return nil
	case loadgen.Numbered(e.Load.Workload):
		return experiment.Problems{e.Problem("load.find", "workload %s looks for lost writes after a single load; use another workload with load.find", e.Load.Workload)}
	case e.Load.Engine == loadgen.BuiltIn("").Name() && loadgen.Counts(job.Load(1)):
		return experiment.Problems{e.Problem("load.find", "workload %s inserts numbers that begin again with every step of the search, on the same server: its inserts would meet the rows of the step before; use a workload without such numbers (in a workload file: a sequence without an end)", e.Load.Workload)}
	case e.Load.Engine == loadgen.BuiltIn("").Name():
		return nil
	}
	return experiment.Problems{e.Problem("load.find", "the engine %s cannot search for the capacity; write load: {engine: tare}", e.Load.Engine)}
}

// generatorField is the field of an arm that puts the load generator elsewhere.
func generatorField(arm experiment.Arm) string {
	for _, field := range []string{"clients", "clientCPU", "client"} {
		if arm.Has(field) {
			return field
		}
	}
	return "target"
}

// findOutline says what is searched, by which steps, and what is measured after it.
func findOutline(f experiment.Find, window experiment.Duration) string {
	s := fmt.Sprintf("capacity: the highest rate with %s, within %.3g %%, by about %d steps of %s in every trial",
		f.Name(), 100*float64(f.Within), 1+6+capacity.Walk, f.Step)
	needs := math.Round(enoughForP99 * 0.01 / (1 - f.Percentile/100))
	s += fmt.Sprintf("; a step needs %.0f transactions for its %s, so that a capacity below %.0f/s is uncertain or not found (a longer load.find.step shows lower ones)",
		needs, f.Metric(), needs/f.Step.Std().Seconds())
	s += fmt.Sprintf("; then a window of %s at the capacity", window)
	if f.Beyond > 0 {
		s += fmt.Sprintf(", and %s at %.0f %% of it", f.Step, 100*float64(f.Beyond))
	}
	return s + "; all of this is in the time above"
}
