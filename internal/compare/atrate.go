package compare

// This file is what the arms did at the run's fixed rate (load.latency): p95 and p99 there are those
// that arms are compared by.

import (
	"fmt"

	"github.com/tarebench/tare/internal/record"
)

// AtRate is the load of an arm at the fixed rate, over all its trials.
type AtRate struct {
	Rate float64 // transactions per second
	Offered
	// Latency is the distribution over all trials; nil without one.
	Latency *Latency
}

const (
	// lateMost is how late the generator may send (99th percentile) as a share of the p99 of a window, of
	// which its delay can be as much. heldMost is the share of the trials in which it may not keep up: a
	// single one widens the interval, and more are the arm's neighbour or a machine that is too small.
	lateMost = 0.25
	heldMost = 0.25
)

// heldAtRate says that the generator was what limited a window.
func heldAtRate(w *record.AtRate) bool {
	if w.Generator != "" && w.Code != "late" { // which compares with the median, of a window without tail figures
		return true
	}
	if w.Latency == nil || w.Latency.Histogram == nil {
		return false
	}
	p99, _ := w.Latency.Histogram.Percentile(99)
	return w.Lateness > lateMost*float64(p99)/1e6
}

// heldUpAtRate is why, as the engine says it.
func heldUpAtRate(w *record.AtRate) string {
	if w.Generator != "" {
		return w.Generator
	}
	return fmt.Sprintf("1 %% of the operations were sent more than %.3f ms after they were due", w.Lateness)
}

// atRate is nil for an arm without such a window.
func (a *Arm) atRate() *AtRate {
	var sum AtRate
	var all []observed
	lost, held := 0, 0
	var how Reason
	for _, t := range a.firsts() {
		w := t.AtRate
		if w == nil {
			continue
		}
		sum.Rate = w.Rate
		sum.Trials++
		switch {
		case w.Outcome != record.Measured || w.Counts.Transactions == 0:
			lost, how = lost+1, saidAtRate(t)
			continue
		case heldAtRate(w):
			held++
		}
		sum.add(w.Due, w.Unsent, w.Rate)
		if w.Latency != nil {
			all = append(all, observed{w.Latency, w.Counts.Transactions})
		}
	}
	if sum.Trials == 0 {
		return nil
	}
	sum.Latency = merged(all)
	var why Reason
	switch {
	case lost > 0:
		why = reason("rate-lost").name("arm", a.Name).num("rate", sum.Rate).count("n", lost).count("of", sum.Trials).part("why", how)
	case sum.overloaded():
		why = sum.tooSlow(a, sum.Rate)
	case heldMost*float64(sum.Trials) < float64(held):
		why = reason("rate-client").name("arm", a.Name).num("rate", sum.Rate).count("n", held).count("of", sum.Trials)
	default:
		return &sum
	}
	sum.Why = &why
	return &sum
}

// saidAtRate is how a window at the fixed rate ended without figures.
func saidAtRate(t *record.Trial) Reason {
	r := reason("trial-said").count("trial", t.Header.Trial)
	if why := Ended(t.AtRate.Reason); why != nil {
		return r.part("text", *why)
	}
	return r.name("text", t.AtRate.Reason)
}

// timedWindow is the window that has the latencies of a trial.
type timedWindow struct {
	trial        *record.Trial
	latency      *record.Latency
	transactions int64
}

// tailWindows are those that p95 and p99 of an arm are from: at the fixed rate where the experiment has
// one. There is none where the arm could not be measured at it, or could not serve the rate of an open loop.
func (a *Arm) tailWindows(fixed bool) (all []timedWindow) {
	if fixed && (a.AtRate == nil || a.AtRate.Why != nil) || !fixed && a.Offered != nil && a.Offered.Why != nil {
		return nil
	}
	for _, t := range a.firsts() {
		switch {
		case !fixed:
			all = append(all, timedWindow{t, t.Window.Latency, t.Window.Counts.Transactions})
		case t.AtRate != nil:
			all = append(all, timedWindow{t, t.AtRate.Latency, t.AtRate.Counts.Transactions})
		}
	}
	return all
}

// latencyRate is the fixed rate of a run, 0 of one without, or before it is known.
func latencyRate(r *record.Run) float64 {
	if r.Imported != nil {
		return 0
	}
	return r.Plan.LatencyRate
}
