package main

// This file is what `tare check` says of the window at a fixed rate (load.latency).

import (
	"fmt"
	"strconv"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/runner"
)

// enoughForP99 is how many transactions a window has to have for a p99 (docs/method.md).
const enoughForP99 = 1000

// checkLatency refuses an engine that does not measure latency from the due time, and a workload
// whose second load would meet what the first one left.
func checkLatency(job *runner.Job) experiment.Problems {
	e := job.Experiment
	refuse := func(format string, args ...any) experiment.Problems {
		return experiment.Problems{e.Problem("load.latency", format, args...)}
	}
	switch {
	case e.Load.Latency == nil:
		return nil
	case e.Load.Engine != loadgen.BuiltIn("").Name():
		return refuse("the engine %s does not measure latency from the due time; write load: {engine: tare}", e.Load.Engine)
	case loadgen.Numbered(e.Load.Workload):
		return refuse("workload %s looks for lost writes after a single load; use another workload with load.latency", e.Load.Workload)
	case len(e.Load.Threads) > 0 && loadgen.Counts(job.Load(1)):
		return refuse("workload %s inserts numbers that begin again with every load, on the same server: its inserts would meet the rows of the load before; use a workload without such numbers (in a workload file: a sequence without an end)", e.Load.Workload)
	}
	return nil
}

// latencyOutline says at which rate latency is measured, and for how long.
func latencyOutline(e *experiment.Experiment, p experiment.Plan) string {
	_, measure := e.LatencyTimes()
	rate := e.Load.Latency.Rate
	line := "latency: "
	switch {
	case rate.PerSecond > 0:
		line += "at " + rate.PerSecond.String()
		if n := float64(rate.PerSecond) * measure.Seconds(); n < enoughForP99 {
			line += fmt.Sprintf(" (p99 needs %d transactions in each trial, and these are %.0f)", enoughForP99, n)
		}
	default:
		line += strconv.FormatFloat(100*float64(rate.Share), 'g', 3, 64) + " % of the throughput of the slowest arm in the first round"
		if !p.Sliced() {
			line += ", from the second round on"
		}
	}
	return line + fmt.Sprintf(", %s in every trial, after the closed loop", experiment.Duration(measure))
}
