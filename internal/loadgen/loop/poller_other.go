//go:build !linux || portable

package loop

import (
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// event is a connection on which something has happened, by its number in the loop.
type event struct {
	Fd     int32
	Events uint32
}

const (
	readable = uint32(1)
	writable = uint32(2) // which never happens: [wire.Conn.Send] sends all
)

// poller gathers what the connections of a loop say of themselves, and calls from others.
type poller struct {
	mu    sync.Mutex
	ready []int32
	some  chan struct{} // something is ready, or was
}

func (p *poller) open() error {
	p.some = make(chan struct{}, 1)
	return nil
}

// watch adds a connection. One that has been replaced may say something once more, and nothing is found then.
func (p *poller) watch(c *wire.Conn, number int32) error {
	c.Watch(func() { p.add(number) })
	return nil
}

func (p *poller) add(number int32) {
	p.mu.Lock()
	p.ready = append(p.ready, number)
	p.mu.Unlock()
	select {
	case p.some <- struct{}{}:
	default:
	}
}

// call ends a wait from another goroutine.
func (p *poller) call() { p.add(wakeUp) }

// awake has nothing to take: the call is an event.
func (p *poller) awake() {}

func (p *poller) closeCall() {}

func (p *poller) close() {}

// collect moves what is ready to events.
func (p *poller) collect(events []event) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(events) && n < len(p.ready) {
		events[n] = event{p.ready[n], readable}
		n++
	}
	p.ready = append(p.ready[:0], p.ready[n:]...)
	return n
}

// wait waits for events until the next time at which there is something to do.
func (l *Loop) wait() (int, error) {
	l.own.made.Waits++
	if n := l.collect(l.events[:]); n > 0 {
		return n, nil
	}
	if patience := l.patience(); patience > 0 {
		timer := time.NewTimer(time.Duration(patience))
		defer timer.Stop()
		select {
		case <-l.some:
		case <-timer.C:
		}
	}
	return l.collect(l.events[:]), nil
}

// sleepUntil waits as a loop does.
func sleepUntil(base time.Time, due time.Duration) { time.Sleep(due - time.Since(base)) }
