//go:build linux && !portable

package loop

// What the bare loop sends: conversations that were recorded before.

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/wire"
)

// tape is the recorded conversation of one connection.
type tape struct {
	wire     *wire.Conn
	requests [][]byte
	answers  []int
	// ends marks the last statement of a transaction.
	ends   []bool
	at     int
	missed int   // bytes not yet received
	begun  int64 // when the transaction was, of a loop that times them
}

// tapeTransactions is how many transactions are recorded per connection.
const tapeTransactions = 4

// NewFloor makes the connections of a job and records.
func NewFloor(ctx context.Context, j *Job) (*Floor, error) {
	l := &Loop{job: j}
	l.statements, l.prepare = compile(j.Program)
	f := &Floor{job: j, in: wire.NewReceiver(receiveSize), Latency: latency.New()}
	for i := range j.Connections {
		r := connect(ctx, j, i, l.prepare)
		if r.err != nil {
			return nil, r.err
		}
		c := &connection{wire: r.wire, ids: r.ids, draws: j.Program.NewDraws(j.Seed, i)}
		t := &tape{wire: r.wire}
		// Twice: the first pass tells the server the types of the parameters.
		for pass := range 2 {
			c.draws = j.Program.NewDraws(j.Seed, i)
			t.requests, t.answers, t.ends = nil, nil, nil
			if err := f.record(l, c, t); err != nil {
				return nil, fmt.Errorf("record connection %d, pass %d: %w", i, pass, err)
			}
		}
		f.tapes = append(f.tapes, t)
	}
	return f, nil
}

func (f *Floor) record(l *Loop, c *connection, t *tape) error {
	for range tapeTransactions {
		steps := f.job.Program.Choices[f.job.Program.Choose(&c.draws)].Steps
		for i, s := range steps {
			if s.NewTable {
				f.job.Program.PickTable(&c.draws)
			}
			request := l.encode(nil, c, &l.statements[s.Statement])
			n, err := f.exchange(c.wire, request)
			if err != nil {
				return err
			}
			t.requests = append(t.requests, request)
			t.answers = append(t.answers, n)
			t.ends = append(t.ends, i == len(steps)-1)
		}
	}
	return nil
}

// exchange sends a request and counts the bytes of the answer.
func (f *Floor) exchange(w *wire.Conn, request []byte) (total int, err error) {
	if e := w.Send(request); e != 0 {
		return 0, e
	}
	var r wire.Response
	r.Reset()
	for {
		n, e := w.Receive(f.in.Buffer)
		if e == unix.EAGAIN {
			fds := []unix.PollFd{{Fd: int32(w.FD), Events: unix.POLLIN}}
			ready, err := unix.Poll(fds, 30000)
			if err == nil && ready == 0 {
				err = errors.New("the server has not answered for 30 s")
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return 0, err
			}
			continue
		}
		if e != 0 {
			return 0, e
		}
		total += n
		_, done, err := r.Feed(f.in.Buffer[:n])
		switch {
		case err != nil:
			return 0, err
		case done && r.Code != 0:
			return 0, &wire.ServerError{Code: r.Code, Message: r.Message()}
		case done:
			return total, nil
		}
	}
}
