package probe

// Probes beside a server on another machine: [Watcher.Serve] reads them there, and
// [Beside] asks it from here, whenever a sample is due. So the samples of both ends
// are taken at one time, on the clock of one machine, and at the window's ends.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"runtime"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// greeting is what Serve says first.
type greeting struct {
	Lines []record.Line `json:"lines"`
}

// question asks for a sample; at an edge of the window all probes are read.
type question struct {
	Edge bool `json:"edge"`
}

// answer is what has changed since the answer before it on the same connection.
type answer struct {
	Values record.Values `json:"values"`
}

// Serve reads the probes for whoever connects, one reader at a time: a new one takes
// the place of the one before, whose connection may have broken unseen. It returns
// when ctx ends, or when no sample was asked for during idle.
func (w *Watcher) Serve(ctx context.Context, l *net.TCPListener, idle time.Duration) error {
	runtime.LockOSThread() // what the probes cost is the thread's CPU time
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = l.Close() }) // which ends accept
	readers := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() { ended <- accept(ctx, l, readers) }()
	for {
		select {
		case c := <-readers:
			w.answer(c, idle)
		case <-time.After(idle):
			return nil
		case err := <-ended:
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("serve probes: %w", err)
		}
	}
}

// accept hands over connections, and closes each when the next has come.
func accept(ctx context.Context, l net.Listener, readers chan<- net.Conn) error {
	closeLast := func() error { return nil }
	for {
		c, err := l.Accept()
		_ = closeLast() // it may have closed itself
		if err != nil {
			return err
		}
		closeLast = c.Close
		select {
		case readers <- c:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), c.Close())
		}
	}
}

// answer answers one reader until it has gone. Its first answer has everything.
func (w *Watcher) answer(c net.Conn, idle time.Duration) {
	defer c.Close()
	for i := range w.probes {
		clear(w.probes[i].last)
	}
	in, out := json.NewDecoder(c), json.NewEncoder(c)
	err := c.SetDeadline(time.Now().Add(idle))
	if err == nil {
		err = out.Encode(greeting{w.Lines()})
	}
	for err == nil { // else the reader has gone, or another has come
		var q question
		if err = in.Decode(&q); err == nil {
			err = out.Encode(answer{record.ValuesOf(w.sample(q.Edge, patience))})
		}
		if err == nil {
			err = c.SetDeadline(time.Now().Add(idle))
		}
	}
}

// Dial connects to where probes are served.
type Dial func(ctx context.Context) (net.Conn, error)

// Beside asks probes on another machine.
type Beside struct {
	// Lines are the metrics' declarations, what cannot be read there, and what that
	// machine is.
	Lines []record.Line

	dial          Dial
	conn          net.Conn
	in            *json.Decoder
	asked, missed int
	last          error // of the last question
}

// Reach connects to probes that are served, and reads what they declare. Their
// server may be about to listen, so it tries until ctx ends.
func Reach(ctx context.Context, dial Dial) (*Beside, error) {
	b := &Beside{dial: dial}
	for {
		err := b.connect(ctx)
		if err == nil {
			return b, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("reach probes: %w", err)
		case <-time.After(redial):
		}
	}
}

// redial is the time between two attempts to connect.
const redial = 200 * time.Millisecond

// connect dials and reads the greeting.
func (b *Beside) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := b.dial(ctx)
	if err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok {
		err = c.SetDeadline(deadline)
	}
	var g greeting
	in := json.NewDecoder(c)
	if err == nil {
		err = in.Decode(&g)
	}
	if err != nil {
		return errors.Join(err, c.Close())
	}
	b.conn, b.in, b.Lines = c, in, g.Lines
	return nil
}

// sample asks for what has changed since the last answer, over another connection
// where the one before has broken. Where that takes longer than within, there is nothing else.
func (b *Beside) sample(edge bool, within time.Duration) map[string]float64 {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	b.asked++
	for {
		values, err := b.ask(ctx, edge)
		if b.last = err; err == nil {
			return values
		}
		select {
		case <-ctx.Done():
			b.missed++
			return nil
		case <-time.After(redial):
		}
	}
}

func (b *Beside) ask(ctx context.Context, edge bool) (map[string]float64, error) {
	if b.conn == nil {
		if err := b.connect(ctx); err != nil {
			return nil, err
		}
	}
	var a answer
	deadline, _ := ctx.Deadline()
	err := b.conn.SetDeadline(deadline)
	if err == nil {
		err = json.NewEncoder(b.conn).Encode(question{edge})
	}
	if err == nil {
		err = b.in.Decode(&a)
	}
	if err != nil {
		err = errors.Join(err, b.conn.Close())
		b.conn = nil
		return nil, err
	}
	return maps.Collect(a.Values.All()), nil
}

// Missed is how many readings did not come. Where the last is among them that is not
// known: nothing then says what the window came to.
func (b *Beside) Missed() record.Fact {
	f := record.Fact{Key: keys.ProbeMissed, Value: fmt.Sprintf("%d of %d", b.missed, b.asked), Phase: "end"}
	if b.last != nil {
		f.Value, f.Unknown = "", record.ReadingMissed.Say(b.last.Error())
	}
	return f
}

// Close ends the connection. The probes beside the server wait for another.
func (b *Beside) Close() {
	if b.conn != nil {
		_ = b.conn.Close() // nothing is on its way
		b.conn = nil
	}
}
