package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// dialTimeout bounds one attempt to connect and prepare.
const dialTimeout = 30 * time.Second

// redialed is the outcome of an attempt.
type redialed struct {
	c      *connection
	wire   *wire.Conn
	ids    []uint32
	server int
	err    error
}

// connect makes one connection with its prepared statements. It blocks. The number is that
// of the connection among all.
func connect(ctx context.Context, j *Job, number int, prepare []string) (r redialed) {
	if j.connector != nil {
		r.wire, r.ids, r.err = j.connector()
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dial := j.Dial
	if j.Routes != nil {
		r.server = j.Routes.Of(number)
		dial = func(ctx context.Context) (*wire.Session, error) { return j.DialTo(ctx, r.server) }
		// A server that is stopped accepts and says nothing: the attempt ends when the
		// connection gets another server.
		server := r.server
		moved := func() {
			if j.Routes.Of(number) != server {
				cancel()
			}
		}
		defer j.Routes.Watch(moved)()
		moved() // before it was watched
	}
	s, err := dial(ctx)
	if err != nil {
		r.err = err
		return r
	}
	if r.ids, r.err = s.Prepare(ctx, prepare); r.err != nil {
		s.Close()
		return r
	}
	r.wire, r.err = s.Release()
	return r
}

// redial connects again beside the loop; the outcome comes through the inbox.
func (l *Loop) redial(c *connection) {
	if l.phase == draining {
		l.release(c)
		return
	}
	l.dialing.Go(func() {
		select {
		case l.dials <- struct{}{}:
		case <-l.ctx.Done():
			return
		}
		r := connect(l.ctx, l.job, c.of, l.prepare)
		r.c = c
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
	l.awake()
	l.inbox.Lock()
	ready, stop, moved := l.inbox.ready, l.inbox.stop, l.inbox.moved
	l.inbox.ready, l.inbox.moved = nil, false
	l.called.Store(false)
	l.inbox.Unlock()
	for _, r := range ready {
		l.reconnected(r)
	}
	if moved {
		l.reroute()
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
	if l.job.Routes != nil && l.job.Routes.Of(c.of) != r.server {
		_ = r.wire.Close() // the server takes no more load since it was connected to
		l.redial(c)
		return
	}
	if err := l.adopt(c, r); err != nil {
		_ = r.wire.Close()
		l.dialFailed(c, err)
		return
	}
	c.unmade = nil
	if !c.renewing {
		l.series.Reconnects++
		l.window.Reconnects++
		l.timeline.made(l.now)
	}
	c.renewing, c.served = false, 0
	switch {
	case l.phase == draining:
		l.release(c)
	case c.unoccupied:
		c.unoccupied = false
		l.vacate(c)
	default:
		l.restart(c)
	}
}

// adopt gives a connection its socket.
func (l *Loop) adopt(c *connection, r redialed) error {
	c.wire, c.ids, c.server = r.wire, r.ids, r.server
	l.stamps = r.wire.Stamp()
	if err := l.watch(r.wire, c.number); err != nil {
		c.wire = nil
		return fmt.Errorf("adopt connection: %w", err)
	}
	return nil
}
