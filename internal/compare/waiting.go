package compare

import (
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// WaitPerCPU is made from the probes' counters of the server's threads: the time in a
// run queue for each second on a CPU. The two counters alone do not show it, because a
// server that does less waits less as well.
func WaitPerCPU() record.Metric {
	return record.Metric{Name: "server.wait_per_cpu_s", Unit: "s/s", Help: "run-queue wait per CPU-second, all threads of the server"}
}

// waitParts are the counters, time on a CPU and then time waiting for one.
var waitParts = [...]string{keys.ServerSessionRunNS, keys.ServerBackgroundRunNS, keys.ServerSessionWaitNS, keys.ServerBackgroundWaitNS}

// leastRun is how much CPU time two readings must lie apart, in ns: a ratio of less is
// that of clock ticks.
const leastRun = 1e6

// Waiting follows the counters of one trial from sample to sample.
type Waiting struct {
	now, before [len(waitParts)]float64
	seen        [len(waitParts)]bool
	begun       bool
}

// Read takes a reading; of other metrics it takes none.
func (w *Waiting) Read(name string, v float64) {
	for i, part := range waitParts {
		if part == name {
			w.now[i], w.seen[i] = v, true
		}
	}
}

// Next is the ratio since the sample before; ok is false where there is none: of the
// first sample, where a counter was not read or began again, or of an idle server.
func (w *Waiting) Next() (ratio float64, ok bool) {
	for _, seen := range w.seen {
		if !seen {
			return 0, false
		}
	}
	run := w.now[0] + w.now[1] - w.before[0] - w.before[1]
	wait := w.now[2] + w.now[3] - w.before[2] - w.before[3]
	if w.begun && run >= 0 && wait >= 0 && run < leastRun {
		return 0, false // goes on from the earlier sample
	}
	ok = w.begun && run >= leastRun && wait >= 0
	w.before, w.begun = w.now, true
	return wait / run, ok
}
