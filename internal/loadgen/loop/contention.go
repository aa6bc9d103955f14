package loop

import "time"

// contention decides whether the thread of an open loop preempts.
//
// A loop that preempts sends on time on any machine. Where the server alone uses the
// CPUs it does not have to: it interrupts a server thread for each result, and makes
// transactions slower than the same load of sysbench does (docs/results/performance.md). A
// loop that does not preempt waits behind every process that uses its whole time
// slice, a few milliseconds for each result. So it preempts while it has to wait like
// that. It cannot see whether it still would have to while it preempts: it tries
// after a time that doubles as long as the answer is yes.
//
// Rejected: a thread of its own that measures how late a timer wakes it (it uses CPU
// time in each arm, and learns of an arm's neighbour only after the arm's turn has
// begun); preempting for due arrivals alone (results wait as long as before).
type contention struct {
	mean       int64 // of the last waits
	preempting bool
	until      int64 // preempting: when to try without
	hold       int64 // how long to preempt the next time
	since      int64 // of the present setting
	before     int64 // time of preempting that has ended
}

const (
	// contended is the mean wait from which a loop preempts. It is 0.03 ms beside the
	// server's threads, which run for a tenth of a millisecond at a time, and beside a
	// process that never sleeps a time slice, 3 ms, for half of the results or more.
	contended = int64(300 * time.Microsecond)
	// remarkable bounds what one wait adds: a pause of the virtual machine is no contention.
	remarkable = int64(time.Millisecond)
	waitShare  = 8 // of the mean: an eighth for each wait
	// firstHold leaves a p99 alone: trying takes about 20 ms.
	firstHold   = int64(5 * time.Second)
	longestHold = int64(time.Minute)
)

// note takes how long the loop waited for a CPU while something was to be done, -1 if
// nothing was, and says whether the setting of the thread has to change.
func (c *contention) note(now, waited int64) (changed bool) {
	if c.preempting {
		if now < c.until {
			return false
		}
		c.before += now - c.since
		c.preempting, c.since, c.mean = false, now, 0
		return true
	}
	if waited < 0 {
		return false
	}
	c.mean += (min(waited, remarkable) - c.mean) / waitShare
	if c.mean < contended {
		return false
	}
	if now-c.since > firstHold { // it has ended in the meantime
		c.hold = 0
	}
	c.hold = min(max(2*c.hold, firstHold), longestHold)
	c.preempting, c.since, c.until = true, now, now+c.hold
	return true
}

// total is how long the loop has preempted, in nanoseconds.
func (c *contention) total(now int64) int64 {
	if c.preempting {
		return c.before + now - c.since
	}
	return c.before
}

// contend takes the waits of a batch of events into account. It is called on the
// loop's own thread.
func (l *Loop) contend() {
	if !l.open {
		return
	}
	waited := l.waited
	l.waited = -1
	if l.contention.note(l.now, waited) {
		schedule(l.share())
	}
}
