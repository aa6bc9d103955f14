package loop

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tarebench/tare/internal/loadgen/pace"
)

// arrivals are an open loop's operations that are not sent yet, one queue for all loops of a job: the one
// that has waited longest gets the first connection that is free, as in a pool of connections.
// With a queue for each loop, arrivals would wait for its connections while another's are free.
//
// A loop with a free connection claims the first operation that no loop has claimed, also before it
// is due, and waits for that one: one loop wakes up for it, and not each that has a free connection. The waiting
// operations take no memory, however many they are: their due times are computed when they are claimed.
type arrivals struct {
	mu       sync.Mutex
	next     pace.Arrivals // after due
	due      int64         // of the first that no loop has claimed yet, forever after the last
	returned []int64       // were claimed by a loop that lost its free connections; in order of time
	held     int           // claimed, not sent
	sent     int64
	// unclaimed is the due time of the first that a loop can have.
	unclaimed atomic.Int64
}

func newArrivals(a pace.Arrivals) *arrivals {
	q := &arrivals{next: a}
	q.due = following(&q.next)
	q.unclaimed.Store(q.due)
	return q
}

func following(a *pace.Arrivals) int64 {
	if d, ok := a.Next(); ok {
		return int64(d)
	}
	return forever
}

// first is when the first operation is due that no loop has, forever if there is none.
func (q *arrivals) first() int64 { return q.unclaimed.Load() }

// exchange returns an operation, forever for none, and claims the first.
func (q *arrivals) exchange(claimed int64) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.putBack(claimed)
	first := q.due
	if len(q.returned) > 0 {
		first, q.returned = q.returned[0], q.returned[1:]
	} else {
		q.due = following(&q.next)
	}
	if first != forever {
		q.held++
	}
	q.publish()
	return first
}

// giveBack returns an operation for another loop.
func (q *arrivals) giveBack(claimed int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.putBack(claimed)
	q.publish()
}

func (q *arrivals) putBack(claimed int64) {
	if claimed == forever {
		return
	}
	q.held--
	at, _ := slices.BinarySearch(q.returned, claimed)
	q.returned = slices.Insert(q.returned, at, claimed)
}

func (q *arrivals) publish() {
	first := q.due
	if len(q.returned) > 0 {
		first = q.returned[0] // it was claimed before
	}
	q.unclaimed.Store(first)
}

// send notes that an operation is sent, and says whether it was the last.
func (q *arrivals) send() (last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held--
	q.sent++
	return q.over()
}

// ended says that all operations are sent.
func (q *arrivals) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over()
}

func (q *arrivals) over() bool { return q.first() == forever && q.held == 0 }

// unsent is how many operations of so many that have fallen due are not sent. It is below 0 where more are sent than
// are counted.
func (q *arrivals) unsent(fallen int64) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return fallen - q.sent
}

// dueDates count what falls due. The first of a job's loops counts it for all.
type dueDates struct {
	ahead pace.Arrivals
	next  int64
	count int64
}

func newDueDates(a pace.Arrivals) dueDates {
	d := dueDates{ahead: a}
	d.next = following(&d.ahead)
	return d
}

// fall counts what has fallen due by now.
func (d *dueDates) fall(now int64) (fallen int64) {
	for d.next <= now {
		fallen++
		d.next = following(&d.ahead)
	}
	d.count += fallen
	return fallen
}

// fall counts what has fallen due by a time in the window and the interval.
func (l *Loop) fall(now int64) {
	if l.number == 0 {
		n := l.dueDates.fall(now)
		l.window.Due += n
		l.series.Due += n
	}
}

// waitingArrivals is how many operations are due and not sent, of all loops; the first one says it for all.
func (l *Loop) waitingArrivals() int64 {
	if !l.open || l.number != 0 {
		return 0
	}
	return max(0, l.arrivals.unsent(l.dueDates.count))
}

// dispatch sends what is due on the connections that are free.
func (l *Loop) dispatch() {
	if l.phase == waiting || l.phase == draining || l.resting() {
		return
	}
	l.fall(l.now)
	for len(l.idle) > 0 {
		last := len(l.idle) - 1
		c := l.idle[last]
		if c.state != resting || c.wire == nil { // lost while it was idle
			l.idle = l.idle[:last]
			continue
		}
		if l.claim(); l.claimed > l.now || !l.admits() {
			return
		}
		l.idle = l.idle[:last]
		due := l.take()
		late := l.clock() - due
		l.waited = max(l.waited, late)
		if !l.mending() {
			l.window.Lateness.Record(late)
			l.series.Lateness.Record(late)
		}
		l.begin(c, due, spentLate)
	}
	if l.claimed != forever {
		l.arrivals.giveBack(l.claimed)
		l.claimed = forever
		l.left.wake(l)
	}
}

// mending says that connections of the loop are broken, or that nothing has succeeded since one was: what is sent late
// in an outage is not the generator's doing.
func (l *Loop) mending() bool {
	if l.broken {
		l.broken = slices.ContainsFunc(l.conns, func(c *connection) bool { return c.state == gone && !c.renewing })
	}
	return l.broken || l.service.failing
}

// occupy gives a free connection the operation that waits longest, or none.
func (l *Loop) occupy(c *connection) {
	if l.phase == draining {
		return
	}
	l.fall(l.now)
	if l.claim(); l.claimed <= l.now && l.admits() {
		l.begin(c, l.take(), spentQueued)
		return
	}
	l.idle = append(l.idle, c)
}

// claim has the loop claim the first operation, if that is due before the one it has.
func (l *Loop) claim() {
	if l.arrivals.first() < l.claimed {
		l.claimed = l.arrivals.exchange(l.claimed)
	}
}

// take is the due time of the operation that the loop has claimed and sends now.
func (l *Loop) take() int64 {
	due := l.claimed
	l.claimed = forever
	if l.arrivals.send() {
		l.left.wake(l) // no other loop has anything left to wait for
	}
	return due
}
