// Package campaigntest provides the records of simulated runs for tests.
package campaigntest

import (
	"math"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Spec is an experiment whose arm pod is slow because of its CPU limit.
const Spec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: shop}
load: {threads: 4}
protocol: {rounds: 6, warmup: 1s, measure: 1s, margin: 2%, aa: false}
baseline: bare
arms:
  bare: {target: process}
  pod: {target: container, cpu: 500m, neighbour: {cpu: 1}}
`

// Run is the record of an experiment on a machine of which all is known: an arm with
// the CPU limit 500m is throttled, and slower than without it by the factor gain.
func Run(e *experiment.Experiment, gain float64) *record.Run {
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	for _, p := range run.Plan.Trials {
		arm, _ := e.Arm(p.Arm)
		tps, throttled := 1000*(1+0.002*math.Sin(float64(p.Number))), "0"
		if strings.Contains(arm.Settings(), "cpu: 500m") {
			tps, throttled = tps/gain, "80"
		}
		trial := &record.Trial{
			Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
			End:    &record.End{Outcome: record.Measured},
			Window: &record.Window{Seconds: 1e6, Counts: record.Counts{Transactions: int64(tps * 1e6)}},
		}
		if arm.Target == "container" {
			trial.Facts = []record.Fact{
				{Key: keys.CgroupContainerCPUStatNrPeriods, Value: "0", Phase: "start"}, {Key: keys.CgroupContainerCPUStatNrThrottled, Value: "0", Phase: "start"},
				{Key: keys.CgroupContainerCPUStatNrPeriods, Value: "100", Phase: "end"}, {Key: keys.CgroupContainerCPUStatNrThrottled, Value: throttled, Phase: "end"},
				{Key: keys.ServerRunNS, Value: "0", Phase: "start"}, {Key: keys.ServerRunNS, Value: "1000", Phase: "end"},
				{Key: keys.ServerRunQueueWaitNS, Value: "0", Phase: "start"}, {Key: keys.ServerRunQueueWaitNS, Value: "10", Phase: "end"},
			}
		}
		run.Trials = append(run.Trials, trial)
	}
	return run
}
