//go:build linux && !portable

package loop

import (
	"time"

	"golang.org/x/sys/unix"
)

// The wait for an answer in the receive itself is short: it ends for nothing but an answer. The
// timer of a receive counts in ticks of the kernel (jiffies, 1 to 10 ms).
const (
	receiveLimit = 4 * time.Millisecond
	// A loop that has something to do earlier than this waits with a timer that is exact.
	receivePatience = 10 * time.Millisecond
)

// awaitAnswer waits in the receive for the answer to a statement of a loop that has one connection,
// and says whether something has arrived, which is then the first event. A statement then takes two system calls, as in
// a thread of an application, and not three: docs/results/performance.md has the gain. Everything else needs an epoll
// set: several connections, a due time, an inbox that is not empty.
func (l *Loop) awaitAnswer() bool {
	l.received.there = false
	if len(l.conns) != 1 || l.resting() || l.called.Load() {
		return false
	}
	c := l.conns[0]
	if c.wire == nil || c.state != asked && c.state != undoing || l.patience() < int64(receivePatience) || !c.wire.Waits(receiveLimit) {
		return false
	}
	r := &l.received
	l.own.made.Waits++
	r.n, r.stamp, r.err = c.wire.ReceiveWaiting(l.in)
	if r.there = r.err != unix.EAGAIN && r.err != unix.EINTR; r.there {
		l.events[0] = unix.EpollEvent{Events: unix.EPOLLIN, Fd: c.number}
	}
	return r.there
}
