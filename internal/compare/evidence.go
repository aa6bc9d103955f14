package compare

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Evidence is one value of an arm's cgroup or process as the kernel gave it back.
type Evidence struct {
	Key, Source string
	// Value is what every trial read before the load; "" when they differ.
	Value string
	// Change is the end minus the start, summed over the trials; NaN when it was
	// not read twice or is not a number.
	Change float64
	// Trials are those that Change is of. The baseline may have twice as many as another arm.
	Trials int
	// End is the mean at the end of the trials, of an amount such as memory in use: its
	// growths add up to nothing. NaN of a counter.
	End     float64
	Unknown string
	ends    []float64
	// counted is the change over the trials that have a window as well, transactions are those of the same windows.
	counted      float64
	transactions int64
}

// eachTransaction is the change for each transaction, over the trials that have both; NaN where none has.
func (e *Evidence) eachTransaction() float64 { return e.counted / float64(e.transactions) }

// evidence collects the cgroup facts of an arm's trials, whatever their outcome:
// for an arm that never became ready they are all there is.
func evidence(trials []*record.Trial) []Evidence {
	var order []string
	byKey := map[string]*Evidence{}
	for _, t := range trials {
		for _, f := range t.Facts {
			if !isCgroup(f.Key) {
				continue
			}
			e, ok := byKey[f.Key]
			if !ok {
				order = append(order, f.Key)
				e = &Evidence{Key: f.Key, Source: f.Source, Value: f.Value, Change: math.NaN(), End: math.NaN(), Unknown: f.Unknown}
				byKey[f.Key] = e
			}
			if v, err := strconv.ParseFloat(f.Value, 64); f.Phase == "end" && err == nil && isLevel(f.Key) {
				e.ends = append(e.ends, v)
			}
			if f.Phase != "end" && e.Value != f.Value {
				e.Value = ""
			}
		}
		for key, change := range t.Changes(fromZero(t)...) {
			if e := byKey[key]; e != nil {
				e.Change = sumKnown(e.Change, change)
				e.Trials++
				if t.Window != nil {
					e.counted, e.transactions = e.counted+change, e.transactions+t.Window.Counts.Transactions
				}
			}
		}
	}
	all := make([]Evidence, 0, len(order))
	for _, key := range order {
		e := *byKey[key]
		if len(e.ends) > 0 {
			e.End = stats.Mean(e.ends)
		}
		if e.Change != 0 && !math.IsNaN(e.Change) {
			e.Value = "" // a counter: where it started means nothing
		}
		all = append(all, e)
	}
	return all
}

// fromZero are the counters of a trial that begin with its server. A server that was killed before its
// first answer has them at the end only.
func fromZero(t *record.Trial) []string {
	all := []string{keys.ServerRunNS, keys.ServerRunQueueWaitNS}
	for _, f := range t.Facts {
		own := strings.Contains(f.Key, keys.CgroupPodPrefix) || strings.Contains(f.Key, keys.CgroupContainerPrefix)
		if own && strings.HasSuffix(f.Key, ".oom_kill") && !Beside(f.Key) {
			all = append(all, f.Key)
		}
	}
	return all
}

// isCgroup picks the facts that are evidence; how long the server's threads ran
// and how long they waited for a CPU say what CPU shares did to it.
func isCgroup(key string) bool {
	return strings.HasPrefix(key, "cgroup.") || strings.Contains(key, ".cgroup.") || key == keys.ServerRunNS || key == keys.ServerRunQueueWaitNS
}

// Waited is how many seconds the server's threads stood in the run queue for each second that
// they ran, in the measured windows; where no probe read it, from before the load to after it.
// ok is false where neither was read.
func (a *Arm) Waited() (ratio float64, ok bool) {
	if c, read := a.Counter(WaitPerCPU().Name); read {
		return c.Mean, true
	}
	var run, wait float64
	for _, e := range a.alone() {
		switch e.Key {
		case keys.ServerRunNS:
			run = e.Change
		case keys.ServerRunQueueWaitNS:
			wait = e.Change
		}
	}
	return wait / run, run > 0 && wait >= 0
}

// WaitedMore is how much longer the server's threads waited for each second that they ran than the
// baseline's, the mean over common rounds, with its 95 % interval; nil below two rounds. ok is
// false where there is no baseline, or it was not read of both.
func (a *Arm) WaitedMore(base *Arm) (more float64, in *Interval, ok bool) {
	if base == nil {
		return 0, nil, false
	}
	more, in, n := differences(base.waits(), a.waits(), a.stopping)
	return more, in, n > 0
}

// waits are Waited of single rounds.
func (a *Arm) waits() map[int]float64 {
	if c, read := a.Counter(WaitPerCPU().Name); read {
		return c.rounds
	}
	all := map[int]float64{}
	if a.turns {
		return all
	}
	for _, t := range a.firsts() {
		if run, wait := t.Change(keys.ServerRunNS), t.Change(keys.ServerRunQueueWaitNS); run > 0 && wait >= 0 {
			all[t.Header.Round] = wait / run
		}
	}
	return all
}

// alone is the evidence of this level of the load alone: none where servers took turns.
func (a *Arm) alone() []Evidence {
	if a.turns {
		return nil
	}
	return a.Evidence
}

func sumKnown(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return a + b
}

// Unlimited is whether every trial read that no level of the arm's cgroup tree has
// a CPU quota (cpu.cfs_quota_us is -1, cpu.max begins with max; or the probes read
// the cgroup and no limit).
func (a *Arm) Unlimited() bool {
	_, read := a.Counter(keys.CgroupCPUNrPeriods)
	if _, limited := a.Counter(keys.CgroupCPULimit); limited {
		read = false
	}
	for _, e := range a.Evidence {
		if Beside(e.Key) || !strings.HasSuffix(e.Key, ".cpu.cfs_quota_us") && !strings.HasSuffix(e.Key, ".cpu.max") {
			continue
		}
		if e.Value != "-1" && !strings.HasPrefix(e.Value, "max") {
			return false
		}
		read = true
	}
	return read
}

// Throttled is the share of CFS periods in which the arm's own cgroup had used up its quota,
// with the periods it rests on: those of the measured windows, or, where no probe read them, from
// before the load to after it. ok is false without a counter or without a period. Of several
// levels of the tree the most throttled is meant.
func (a *Arm) Throttled() (share, periods float64, ok bool) {
	every, counted := a.Counter(keys.CgroupCPUNrPeriods)
	held, alsoHeld := a.Counter(keys.CgroupCPUNrThrottled)
	if counted && alsoHeld && every.Total > 0 && every.Trials == held.Trials {
		return min(1, held.Total/every.Total), every.Total, true
	}
	for _, e := range a.alone() {
		level, found := strings.CutSuffix(e.Key, ".nr_periods")
		if !found || Beside(e.Key) || !(e.Change > 0) {
			continue
		}
		for _, t := range a.alone() {
			if t.Key == level+".nr_throttled" && t.Change/e.Change >= share {
				share, periods, ok = t.Change/e.Change, e.Change, true
			}
		}
	}
	return share, periods, ok
}

// Beside says of a fact's key that it is of another pod than the server's: its
// neighbour, another member of its database, or the load's.
func Beside(key string) bool {
	return strings.HasPrefix(key, "neighbour.") || strings.HasPrefix(key, "client.") || strings.HasPrefix(key, "replication.")
}
