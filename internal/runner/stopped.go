package runner

// This file finds a server that stopped completing transactions before the end of its window. The throughput of such a
// window is that of its first part, which says nothing of the server.

import (
	"fmt"

	"github.com/tarebench/tare/internal/record"
)

const (
	// stoppedFor is how long nothing is completed at the end of a window, at least, and stoppedShare of the window.
	stoppedFor   = 5.0
	stoppedShare = 0.2
	// stoppedCount is how many transactions a window has, at least, before their pace says anything.
	stoppedCount = 5
	// stoppedTimes is how many times as long as a connection took for a transaction before.
	stoppedTimes = 3
)

// stopped changes the outcome of a measured load whose server completed nothing at its window's end. In an open loop
// the latency and the backlog show that; what an event does is the arm's.
func (t *trial) stopped(outcome record.Outcome, reason string) (record.Outcome, string) {
	p := t.Experiment.Protocol
	if outcome != record.Measured || t.window == nil || t.Experiment.Load.Rate > 0 || t.Plan.Sliced() || t.server.Capabilities().Disturb != nil {
		return outcome, reason
	}
	if s, is := silentAtEnd(t.window, t.plan.Threads, p.Warmup.Std().Seconds()+p.Measure.Std().Seconds()-t.completed); is {
		return record.Starved, record.StoppedAnswering.Say(fmt.Sprintf("%.0f", s))
	}
	return outcome, reason
}

// silentAtEnd tells whether a window that ends with so many seconds without a completed transaction was one of a server
// that stopped: each connection had completed transactions much faster before.
func silentAtEnd(w *record.Window, threads int, silent float64) (seconds float64, is bool) {
	silent = min(silent, w.Seconds)
	if w.Counts.Transactions < stoppedCount || silent < max(stoppedFor, stoppedShare*w.Seconds) {
		return silent, false
	}
	each := float64(threads) * (w.Seconds - silent) / float64(w.Counts.Transactions)
	return silent, silent > stoppedTimes*each
}
