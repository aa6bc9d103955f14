package main

// This file is what `tare check` says of the window at a fixed rate (load.latency).

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/runner"
)

// enoughForP95 and enoughForP99 are how many transactions a window has to have for a percentile (docs/method.md).
const enoughForP95, enoughForP99 = 200, 1000

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
		line += "at " + rate.PerSecond.String() + fewArrivals(float64(rate.PerSecond)*measure.Seconds())
	default:
		line += strconv.FormatFloat(100*float64(rate.Share), 'g', 3, 64) + " % of the throughput of the slowest arm in the first round"
		if !p.Sliced() {
			line += ", from the second round on"
		}
	}
	return line + fmt.Sprintf(", %s in every trial, after the closed loop", experiment.Duration(measure))
}

// fewArrivals says which percentiles a window lacks, or may lack, in which so many transactions are due on average. The
// arrivals are random (Poisson), so that of an average of 200 half of the trials have fewer; of three standard
// deviations more, one of 700.
func fewArrivals(mean float64) string {
	var short []string
	for _, p := range []struct {
		enough float64
		needs  string
	}{{enoughForP95, "a p95 needs 200"}, {enoughForP99, "a p99 needs 1,000"}} {
		if mean-3*math.Sqrt(mean) < p.enough {
			short = append(short, p.needs)
		}
	}
	if short == nil {
		return ""
	}
	return fmt.Sprintf(" (about %.0f transactions in each trial, more or fewer at random: %s in every trial)", mean, strings.Join(short, " and "))
}
