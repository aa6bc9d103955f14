package compare

// This file is what the load generator itself took of a machine that it shares with the server: its
// CPU time is part of every figure, and time in which it waits for a CPU is load that is not sent.

import (
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Generator is what the load generator of an arm used while it sent load, means over the trials.
type Generator struct {
	CPU    float64 // share of the machine's CPU time, a ratio
	Waited float64 // share of its event loops' time that they waited for a CPU, a ratio
}

// generator is nil where the generator is not on the server's machine, or its engine does not tell.
func (a *Arm) generator() *Generator {
	if a.Target != "process" && a.Target != "container" {
		return nil
	}
	var cpu, waited []float64
	for _, t := range a.firsts() {
		if u, w, ok := generatorOf(t); ok {
			cpu, waited = append(cpu, u), append(waited, w)
		}
	}
	if len(cpu) == 0 {
		return nil
	}
	return &Generator{stats.Mean(cpu), stats.Mean(waited)}
}

// generatorOf divides by the time in which load was sent: the window, and by slices the load of the
// counted turns.
func generatorOf(t *record.Trial) (cpu, waited float64, ok bool) {
	number := func(key string) float64 {
		v, err := strconv.ParseFloat(engineSays(t, key), 64)
		if err != nil {
			return 0
		}
		return v
	}
	on, cpus, loops := number(keys.LoadThrottledOfS), number(keys.HostCPUCount), number(keys.LoadLoops)
	if on <= 0 || cpus <= 0 || loops <= 0 {
		return 0, 0, false
	}
	return (number(keys.LoadCPUUserS) + number(keys.LoadCPUSystemS)) / (on * cpus), number(keys.LoadRunQueueS) / (on * loops), true
}
