package compare

// This file sums up what the probes read in the window of a trial.

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// watched is one trial's counters over its window.
type watched struct {
	trial   *record.Trial
	seconds float64
	share   float64            // of the load's transactions, that the server has served
	change  map[string]float64 // counters
	mean    map[string]float64 // the others
	max     map[string]float64
}

// watch reads the samples of the trials' windows. A trial without two of them has none.
func watch(trials []*record.Trial) []watched {
	var all []watched
	for _, t := range trials {
		if w := (watched{trial: t, share: ofFirst(t)}); w.read() {
			all = append(all, w)
		}
	}
	return all
}

// Lost says why the probes beside the server did not last, if they did not: a counter of theirs
// stands still from then on, and would say that little was going on.
func Lost(t *record.Trial) (why string, lost bool) {
	for _, f := range t.Facts {
		if f.Key == keys.ProbeMissed && f.Unknown != "" {
			return f.Unknown, true
		}
	}
	return "", false
}

// lateFrom is the share of the window after which the first reading of a counter is too late: what it
// grew by is that of a part of the window, and would be divided by all of its transactions.
const lateFrom = 0.1

// total is what one metric came to in the window.
type total struct {
	counter, unknown   bool
	grew               float64
	sum, moments, most float64 // of what is not a counter, over the window's samples
	value              float64 // at the latest reading, for the samples that follow
	sample             int     // that reading
}

func (w *watched) read() bool {
	samples, begin := w.trial.Samples, windowBegin(w.trial)
	if _, lost := Lost(w.trial); lost || begin < 0 || begin == len(samples)-1 {
		return false
	}
	w.seconds = (samples[len(samples)-1].At - samples[begin].At).Seconds()
	if w.seconds <= 0 {
		return false
	}
	totals := map[string]*total{}
	latest := begin + int(lateFrom*float64(len(samples)-begin))
	for r := range Readings(w.trial) {
		if r.Sample < begin {
			continue
		}
		t := totals[r.Name]
		if t == nil {
			t = &total{counter: r.Counter, most: math.Inf(-1), sample: r.Sample - 1}
			t.unknown = r.First && r.Sample > latest
			totals[r.Name] = t
		}
		t.add(r)
	}
	w.divide(totals)
	return true
}

// add adds a reading. A value holds until the next: its moments are the samples in between.
func (t *total) add(r Reading) {
	if t.counter {
		if r.InWindow {
			t.grew += r.Grew
		}
		return
	}
	t.sum += t.value*float64(r.Sample-t.sample-1) + r.Value
	t.moments += float64(r.Sample - t.sample)
	t.most, t.value, t.sample = math.Max(t.most, r.Value), r.Value, r.Sample
}

// divide takes the mean of each metric over the moments from its first reading on: one that came late,
// as the lag of a replica does, says nothing of the time before. A counter that fell was started
// again: what it grew by is not known.
func (w *watched) divide(totals map[string]*total) {
	w.change, w.mean, w.max = map[string]float64{}, map[string]float64{}, map[string]float64{}
	for name, t := range totals {
		switch {
		case !t.counter:
			w.mean[name], w.max[name] = t.sum/t.moments, t.most
		case !t.unknown && !math.IsNaN(t.grew):
			w.change[name] = t.grew
		}
	}
	w.waitPerCPU()
}

// waitPerCPU is the ratio of the window's two sums: a mean of the ratios of its seconds would
// count a second in which the server hardly ran like any other.
func (w *watched) waitPerCPU() {
	var sums [len(waitParts)]float64
	for i, part := range waitParts {
		v, known := w.change[part]
		if !known {
			delete(w.mean, WaitPerCPU().Name)
			return
		}
		sums[i] = v
	}
	if run := sums[0] + sums[1]; run >= leastRun {
		w.mean[WaitPerCPU().Name] = (sums[2] + sums[3]) / run
	}
}

// timed are the transactions of which the latency is: fewer than transactions where one
// statement counts as many of them, as an INSERT of many rows does.
func (w watched) timed() float64 {
	n := w.transactions()
	if w.trial.Window == nil || w.trial.Window.Latency == nil || w.trial.Window.Latency.Histogram == nil {
		return n
	}
	// What is counted and what is timed differ a little in an engine that reports both by the second.
	const same = 0.5
	share := float64(w.trial.Window.Latency.Histogram.Total()) / float64(w.trial.Window.Counts.Transactions)
	if share > 0 && share < same {
		return n * share
	}
	return n
}

// queues are the run queues that the server's sessions wait in: the kernel has one for each CPU,
// and adds up for how long a quota held up each (unthrottle_cfs_rq in kernel/sched/fair.c). A queue
// in which nothing waits is not held up, so they are no more than the transactions in progress,
// which are fewer than the connections in an open loop and on a server with a pool of connections.
// One where the CPUs are not known. The window has a latency.
func (w watched) queues() float64 {
	cpus := 0
	for _, f := range w.trial.Facts {
		if f.Key == keys.ServerCPUsAllowed && f.Phase == "start" {
			cpus = CountCPUs(f.Value)
		}
	}
	inProgress := w.timed() * w.trial.Window.Latency.Mean / 1e3 / w.seconds
	return max(1, min(float64(cpus), inProgress))
}

// CountCPUs counts those of the kernel's list format, 0-3,8 (cpuset(7)); 0 for what is
// none.
func CountCPUs(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, many := strings.Cut(strings.TrimSpace(part), "-")
		if !many {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || to < from {
			return 0
		}
		n += to - from + 1
	}
	return n
}

// transactions are those of the time and of the server that the counters are of: of a trial of slices,
// what ended in lead-ins is in its counters, too.
func (w watched) transactions() float64 {
	n := w.trial.Window
	switch {
	case n == nil:
		return 0
	case n.Uncounted > 0:
		return float64(n.Counts.Transactions+n.Uncounted) * w.share
	}
	return w.seconds * n.Completed() * w.share
}

// ofFirst is the share of the load's transactions that the first member of a replicated database
// served, whose counters are read; 1 where the load had one server.
func ofFirst(t *record.Trial) float64 {
	first, all := 0.0, 0.0
	for _, f := range t.Facts {
		switch number, ok := strings.CutPrefix(f.Key, keys.LoadMemberPrefix); {
		case !ok || !strings.HasSuffix(number, ".tps"):
		case number == "1.tps":
			first, all = numberOf(f), all+numberOf(f)
		default:
			all += numberOf(f)
		}
	}
	if all == 0 {
		return 1
	}
	return first / all
}
