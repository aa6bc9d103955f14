package loop

import (
	"sync/atomic"
	"time"
)

// When the window ends, and when the loop has nothing left to do.

// budget counts the transactions that may still begin, if their number has a limit, and has those that
// are due. It is that of all loops together.
type budget struct {
	limited  bool
	begun    atomic.Int64 // counts up to 0 from minus the limit
	idle     atomic.Int64 // loops that have nothing left to do
	arrivals *arrivals    // nil for a closed loop
	loops    []*Loop
}

func newBudget(j *Job) *budget {
	b := &budget{limited: j.Events > 0}
	b.begun.Store(-max(j.Events, 0))
	if j.Arrivals != nil {
		b.arrivals = newArrivals(*j.Arrivals)
	}
	return b
}

func (b *budget) take() bool { return !b.limited || b.begun.Add(1) <= 0 }

// passOver leaves out the transactions of the warm-up that are under way. Taking them from the limit
// was rejected: a loop that is late to the window's start finds that others have begun all that it allows.
func (l *Loop) passOver() {
	for _, c := range l.conns {
		switch c.state {
		case asked, undoing, pausing, thinking, gone:
			c.early = !c.unoccupied
		}
	}
}

func (b *budget) spent() bool { return b.limited && b.begun.Load() >= 0 }

// seal closes the window at a time: what is answered later is not part of it.
func (l *Loop) seal(end int64) {
	if l.windowEnd != 0 {
		return
	}
	l.windowEnd = max(end, 1)
	l.service.waiting = l.oldestWaiting()
	l.own.end(l.contention.total(l.now))
	if l.turns != nil {
		l.window = l.turns.window
	}
	if !l.measures {
		l.window.reset() // of the warm-up, in which the load was ended
	}
	l.measured, l.window = l.window, l.tail
	l.network = measureNetwork(l.conns)
	l.unmade = unmade(l.conns, l.windowEnd)
}

// leaveUnsent counts the arrivals of the window that were not sent, of so many that were not. They
// are the youngest of those that fell due. Where the number of transactions has a limit, those beyond it were
// not due. Below 0 are those that were sent after the first loop had counted what was due.
func (t *Tally) leaveUnsent(n int64, limited bool) {
	n = min(n, t.Due)
	if limited || n < 0 {
		t.Due -= n
		return
	}
	t.Unsent = n
}

// last is the end of a window that neither its length nor a stop has ended: where nothing was
// left to begin, the end of the last transaction.
func (l *Loop) last() int64 {
	if l.failure != nil {
		return l.now
	}
	return l.service.last
}

// unmadeFor is how long a connection must have been missing at the window's end to be one
// that could not be made: an attempt that fails once can succeed the next time.
const unmadeFor = int64(time.Second)

// unmade is why connections were missing at a time; of several reasons the first.
func unmade(conns []*connection, at int64) error {
	for _, c := range conns {
		if c.unmade != nil && at-c.unmadeAt >= unmadeFor {
			return c.unmade
		}
	}
	return nil
}

// stopDrain bounds the wait for transactions under way when the load is stopped from
// outside: its result is not used.
const stopDrain = 2 * time.Second

// done says that no transaction is under way any more and none can begin, or that draining
// took too long.
func (l *Loop) done() bool {
	if l.failure != nil {
		return true
	}
	if l.stopped != 0 && l.phase == draining && l.now > l.stopped+int64(stopDrain) {
		return true // a server that hangs would keep whoever stopped the load waiting
	}
	if l.turns != nil {
		return l.phase == draining && (l.busy == 0 || l.real() >= l.turns.over)
	}
	if l.phase == draining {
		return l.busy == 0 || l.now > max(l.windowEnd, l.service.last)+int64(l.job.Drain)
	}
	return l.busy == 0 && l.exhausted() && l.allIdle()
}

// exhausted says that no more transactions begin: as many as were asked for have, or the
// schedule of a load without a fixed length has ended.
func (l *Loop) exhausted() bool {
	return l.left.spent() || l.open && l.job.Time == 0 && l.arrivals.ended()
}

// allIdle notes once that the loop has nothing left to do, and says whether that is true of
// all. Until then each hands over its steps, without which no interval is complete.
func (l *Loop) allIdle() bool {
	if !l.idleNoted {
		l.idleNoted = true
		if l.left.idle.Add(1) == int64(l.of) {
			l.left.wake(l)
		}
	}
	return l.left.idle.Load() >= int64(l.of)
}

// wake wakes all loops but one, which has found that all are idle.
func (b *budget) wake(but *Loop) {
	for _, l := range b.loops {
		if l == but {
			continue
		}
		l.inbox.Lock()
		l.wakeUp()
		l.inbox.Unlock()
	}
}
