package loop

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// dialTimeout bounds one attempt to connect and prepare.
const dialTimeout = 30 * time.Second

// redialed is the outcome of an attempt.
type redialed struct {
	c    *connection
	wire *wire.Conn
	ids  []uint32
	err  error
}

// connect makes one connection with its prepared statements. It blocks.
func connect(ctx context.Context, j *Job, prepare []string) (*wire.Conn, []uint32, error) {
	if j.connector != nil {
		return j.connector()
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s, err := j.Dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids, err := s.Prepare(ctx, prepare)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	w, err := s.Release()
	return w, ids, err
}

// redial connects again beside the loop; the outcome comes through the inbox.
func (l *Loop) redial(c *connection) {
	if l.phase == draining {
		l.release(c)
		return
	}
	l.dialing.Go(func() {
		r := redialed{c: c}
		select {
		case l.dials <- struct{}{}:
		case <-l.ctx.Done():
			return
		}
		r.wire, r.ids, r.err = connect(l.ctx, l.job, l.prepare)
		<-l.dials
		l.inbox.Lock()
		defer l.inbox.Unlock()
		if l.inbox.closed {
			if r.wire != nil {
				_ = r.wire.Close()
			}
			return
		}
		l.inbox.ready = append(l.inbox.ready, r)
		l.wakeUp()
	})
}

// renew ends a connection that has served its number of transactions. The next
// one waits for the new connection, and its latency counts that: as sysbench's
// does, and an application's without a pool.
func (l *Loop) renew(c *connection) {
	c.close()
	c.state, c.renewing = gone, true
	l.redial(c)
}

// receiveInbox takes what others left for the loop.
func (l *Loop) receiveInbox() {
	var buf [8]byte
	_, _ = unix.Read(l.wake, buf[:])
	l.inbox.Lock()
	ready, stop := l.inbox.ready, l.inbox.stop
	l.inbox.ready = nil
	l.inbox.Unlock()
	for _, r := range ready {
		l.reconnected(r)
	}
	if stop && l.stopped == 0 {
		l.stopped = max(l.clock(), 1)
	}
	if stop && l.phase < draining {
		l.enter(draining)
	}
}

func (l *Loop) reconnected(r redialed) {
	c := r.c
	if r.err != nil {
		l.dialFailed(c, r.err)
		return
	}
	if err := l.adopt(c, r.wire, r.ids); err != nil {
		_ = r.wire.Close()
		l.dialFailed(c, err)
		return
	}
	if !c.renewing {
		l.series.Reconnects++
		l.window.Reconnects++
	}
	c.renewing, c.served = false, 0
	switch {
	case l.phase == draining:
		l.release(c)
	case c.unoccupied:
		c.unoccupied = false
		l.proceed(c)
	default:
		l.restart(c)
	}
}

// adopt gives a connection its socket.
func (l *Loop) adopt(c *connection, w *wire.Conn, ids []uint32) error {
	c.wire, c.ids = w, ids
	l.stamps = w.Stamp()
	if err := l.watch(w.FD, c.number, unix.EPOLLIN|unix.EPOLLOUT|unix.EPOLLRDHUP); err != nil {
		c.wire = nil
		return fmt.Errorf("adopt connection: %w", err)
	}
	return nil
}
