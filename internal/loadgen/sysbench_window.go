package loadgen

import (
	"math"

	"github.com/tarebench/tare/internal/record"
)

// series sums up intervals.
type series struct {
	seconds float64
	// Sums of rate times length.
	transactions, reads, writes, other, errors, reconnects float64
	intervals                                              int
}

func (s *series) add(i record.Interval) {
	s.intervals++
	s.seconds += i.Length
	s.transactions += i.Transactions * i.Length
	s.reads += i.Reads * i.Length
	s.writes += i.Writes * i.Length
	s.other += i.Other * i.Length
	s.errors += i.Errors * i.Length
	s.reconnects += i.Reconnects * i.Length
}

// window is the sum as a window, nil where there is nothing to sum up. It knows
// no latency: the percentile of a window is not the mean of those of its seconds.
func (s *series) window() *record.Window {
	if s.seconds <= 0 {
		return nil
	}
	count := func(sum float64) int64 { return int64(math.Round(sum)) }
	return &record.Window{
		Seconds: s.seconds,
		Counts: record.Counts{
			Transactions: count(s.transactions), Reads: count(s.reads), Writes: count(s.writes),
			Other: count(s.other), Errors: count(s.errors), Reconnects: count(s.reconnects),
		},
		Partial: true,
		Rate:    s.transactions / s.seconds,
	}
}

// window is the measured window of a run that tare started.
//
// 1.0.20 has no --warmup-time (1.1 has). What it has is --report-checkpoints: at
// the end of the warm-up it prints its statistics and resets all counters, the
// timers and the histogram (checkpoint() in sysbench.c,
// sb_histogram_get_pct_checkpoint). The final statistics then cover exactly the
// measured window. Tried with 1.0.20: the final transaction count over the
// difference of the two total times is the rate that sysbench prints itself, to
// its last digit; the histogram holds all but the few transactions that ended
// while the counters were reset and it was not yet (0.02 % at most). Summing the
// per-second lines instead would lose the last second, whose line sysbench often
// does not print. So the totals are sysbench's own, not diluted by the warm-up,
// and one option serves 1.0 and 1.1.
//
// "total time" is not reset, hence the difference.
func (l *sysbenchLog) window(warmup bool, measured *series) *record.Window {
	checkpoints := 0
	begin := 0.0
	if warmup {
		checkpoints = 1
		if len(l.checkpoints) > 0 {
			begin = l.checkpoints[0].elapsed
		}
	}
	if l.final == nil || len(l.checkpoints) != checkpoints || l.final.elapsed <= begin {
		return measured.window()
	}
	w := l.final.window(l.final.elapsed - begin)
	if w.Latency != nil {
		w.Latency.Histogram = l.histogram
	}
	return w
}

// whole is the window of a log that someone else made: all that it holds. What
// was warm-up is not known.
func (l *sysbenchLog) whole(all *series) *record.Window {
	if l.final == nil {
		return all.window()
	}
	sum := *l.final
	for _, c := range l.checkpoints {
		sum.merge(c)
	}
	w := sum.window(sum.elapsed)
	if w != nil && w.Latency != nil && len(l.checkpoints) == 0 && l.histogramWhole() {
		w.Latency.Histogram = l.histogram
	}
	return w
}

// histogramLost is the share of the transactions that a histogram can lack: what ends while the counters are read.
const histogramLost = 0.01

// histogramWhole says that the histogram of a log holds its transactions, or that it has none: lines can be missing
// from a log that was copied in part.
func (l *sysbenchLog) histogramWhole() bool {
	if l.histogram == nil || l.final == nil {
		return true
	}
	n := float64(l.final.events)
	return math.Abs(float64(l.histogram.Total())-n) <= max(1, histogramLost*n)
}

// eventsAlone gives a log without transactions its events in their place: insert.lua of 0.5 and the test mode nontrx of
// 0.4 send statements outside of transactions, and print 0 for those. Lines are its intervals.
func (l *sysbenchLog) eventsAlone(w *record.Window, lines []record.Line) error {
	statements := w.Counts.Reads + w.Counts.Writes + w.Counts.Other
	if !l.sql || w.Counts.Transactions > 0 || statements == 0 {
		return nil
	}
	if l.final == nil {
		return ErrNoEvents
	}
	for _, t := range append(l.checkpoints, *l.final) {
		w.Counts.Transactions += t.events
	}
	if w.Counts.Transactions == 0 { // every one failed
		return nil
	}
	l.sql = false
	for _, line := range lines {
		if i := line.Interval; i != nil {
			i.Transactions = (i.Reads + i.Writes + i.Other) * float64(w.Counts.Transactions) / float64(statements)
		}
	}
	return nil
}

// window is the block as a window of that many seconds, nil for no time at all.
func (t *totals) window(seconds float64) *record.Window {
	if seconds <= 0 {
		return nil
	}
	w := &record.Window{Seconds: seconds, Counts: t.counts}
	w.Counts.Transactions = t.transactions()
	if t.hasLatency {
		latency := t.latency
		w.Latency = &latency
	}
	return w
}

// merge adds a block that covers another part of the same run. Percentiles of
// the parts say nothing of the percentile of the whole.
func (t *totals) merge(o totals) {
	if t.ownClock {
		t.elapsed += o.elapsed
	}
	t.counts.Transactions += o.counts.Transactions
	t.counts.Reads += o.counts.Reads
	t.counts.Writes += o.counts.Writes
	t.counts.Other += o.counts.Other
	t.counts.Errors += o.counts.Errors
	t.counts.Reconnects += o.counts.Reconnects
	t.events += o.events
	t.hasLatency = t.hasLatency && o.hasLatency
	t.latency.Min = min(t.latency.Min, o.latency.Min)
	t.latency.Max = max(t.latency.Max, o.latency.Max)
	t.latency.Sum += o.latency.Sum
	t.latency.Percentiles = nil
	if n := t.transactions(); n > 0 {
		t.latency.Mean = t.latency.Sum / float64(n)
	}
}
