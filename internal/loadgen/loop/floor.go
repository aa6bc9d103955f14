package loop

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Floor sends bytes recorded before and counts bytes until as many came back as
// the recording says: what a client of this protocol cannot do without, and
// nothing else. One loop; the transactions per connection repeat.
type Floor struct {
	job   *Job
	tapes []*tape
	epoll int
	in    []byte
}

// tape is the recorded conversation of one connection.
type tape struct {
	fd       int
	requests [][]byte
	answers  []int
	// ends marks the last statement of a transaction.
	ends   []bool
	at     int
	missed int // bytes not yet received
}

// tapeTransactions is how many transactions are recorded per connection.
const tapeTransactions = 4

// NewFloor makes the connections of a job and records.
func NewFloor(ctx context.Context, j *Job) (*Floor, error) {
	l := &Loop{job: j}
	l.statements, l.prepare = compile(j.Program)
	f := &Floor{job: j, in: make([]byte, receiveSize)}
	for i := range j.Connections {
		r := connect(ctx, j, i, l.prepare)
		if r.err != nil {
			return nil, r.err
		}
		c := &connection{wire: r.wire, ids: r.ids, draws: j.Program.NewDraws(j.Seed, i)}
		t := &tape{fd: r.wire.FD}
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
		n, e := w.Receive(f.in)
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
		_, done, err := r.Feed(f.in[:n])
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

// Run plays the tapes for a time and returns the number of transactions.
func (f *Floor) Run(length time.Duration) (transactions int64, err error) {
	defer Reserve(1)()
	prepareThread(closedShare(len(f.tapes)))
	if f.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return 0, err
	}
	defer unix.Close(f.epoll)
	for i, t := range f.tapes {
		e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(i)}
		if err := unix.EpollCtl(f.epoll, unix.EPOLL_CTL_ADD, t.fd, &e); err != nil {
			return 0, err
		}
		if err := t.send(); err != 0 {
			return 0, err
		}
	}
	var events [eventsSize]unix.EpollEvent
	timeout := unix.NsecToTimespec(int64(100 * time.Millisecond))
	for begun := time.Now(); time.Since(begun) < length; {
		n, _, e := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(f.epoll), uintptr(unsafe.Pointer(&events[0])),
			eventsSize, uintptr(unsafe.Pointer(&timeout)), 0, 0)
		if e != 0 && e != unix.EINTR {
			return 0, e
		}
		for i := range int(int32(n)) {
			t := f.tapes[events[i].Fd]
			ended, e := t.receive(f.in)
			if e != 0 {
				return 0, e
			}
			if ended {
				transactions++
			}
		}
	}
	return transactions, nil
}

func (t *tape) send() syscall.Errno {
	t.missed = t.answers[t.at]
	b := t.requests[t.at]
	_, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(t.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	return e
}

func (t *tape) receive(in []byte) (ended bool, err syscall.Errno) {
	n, _, e := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(t.fd), uintptr(unsafe.Pointer(&in[0])), uintptr(len(in)), unix.MSG_DONTWAIT, 0, 0)
	switch {
	case e == unix.EAGAIN:
		return false, 0
	case e != 0:
		return false, e
	case n == 0:
		return false, unix.ECONNRESET
	}
	if t.missed -= int(n); t.missed > 0 {
		return false, 0
	}
	ended = t.ends[t.at]
	if t.at++; t.at == len(t.requests) {
		t.at = 0
	}
	return ended, t.send()
}
