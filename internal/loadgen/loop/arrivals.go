package loop

import "github.com/tarebench/tare/internal/loadgen/pace"

// arrivals are an open loop's operations: those that fell due and were sent, those
// that fell due and wait, and those that follow. The waiting ones take no memory,
// however many they are: their due times are computed again when they are sent.
type arrivals struct {
	next  pace.Arrivals // the next to be sent
	ahead pace.Arrivals // the next to fall due
	first int64         // due time of the next to be sent
	due   int64         // due time of the next to fall due
	queue int64         // fallen due, not sent
}

func newArrivals(a pace.Arrivals) arrivals {
	q := arrivals{next: a, ahead: a}
	q.first, q.due = following(&q.next), following(&q.ahead)
	return q
}

func following(a *pace.Arrivals) int64 {
	if d, ok := a.Next(); ok {
		return int64(d)
	}
	return forever
}

// fall counts what has fallen due by now.
func (q *arrivals) fall(now int64) (fallen int64) {
	for q.due <= now {
		fallen++
		q.due = following(&q.ahead)
	}
	q.queue += fallen
	return fallen
}

// take removes the longest waiting operation and returns its due time.
func (q *arrivals) take() int64 {
	due := q.first
	q.first = following(&q.next)
	q.queue--
	return due
}

// dispatch sends what is due on the connections that are free.
func (l *Loop) dispatch() {
	if l.phase == waiting || l.phase == draining || l.resting() {
		return
	}
	l.fall(l.now)
	for l.arrivals.queue > 0 && len(l.idle) > 0 {
		c := l.idle[len(l.idle)-1]
		lost := c.state != resting || c.wire == nil // while it was idle
		if !lost && !l.admits() {
			return
		}
		if l.idle = l.idle[:len(l.idle)-1]; lost {
			continue
		}
		due := l.arrivals.take()
		late := l.clock() - due
		l.waited = max(l.waited, late)
		l.window.Lateness.Record(late)
		l.series.Lateness.Record(late)
		l.begin(c, due, spentLate)
	}
}

// occupy gives a free connection the operation that waits longest, or none.
func (l *Loop) occupy(c *connection) {
	if l.phase == draining {
		return
	}
	l.fall(l.now)
	if l.arrivals.queue > 0 && l.admits() {
		l.begin(c, l.arrivals.take(), spentQueued)
		return
	}
	l.idle = append(l.idle, c)
}

// fall counts what has fallen due by a time in the window and the interval.
func (l *Loop) fall(now int64) {
	n := l.arrivals.fall(now)
	l.window.Due += n
	l.series.Due += n
}
