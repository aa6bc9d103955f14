package loop

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// awaiting is a loop whose only connection has asked and has an answer of four bytes.
func awaiting(t *testing.T, open bool) *Loop {
	t.Helper()
	p, err := workload.Build("oltp_point_select", workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Program: p, Connections: 1}
	if open {
		j.Arrivals = func(part, of int) pace.Arrivals {
			return pace.Constant(pace.Schedule{{Length: time.Hour, From: 1, To: 1}}, part, of)
		}
	}
	l, err := newLoop(j, 0, 1, &budget{}, make(chan handover, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fds[1]) })
	if _, err := unix.Write(fds[1], []byte("1234")); err != nil {
		t.Fatal(err)
	}
	c := newConnection(p, 0, 0, p.NewDraws(1, 0))
	c.wire, c.state = &wire.Conn{FD: fds[0]}, asked
	l.conns = append(l.conns, c)
	// Something is due in an hour, not in a second.
	l.base, l.phase, l.boundary = time.Now().Add(-time.Hour), measuring, int64(2*time.Hour)
	return l
}

// TestAwaitAnswer: a loop with one connection takes the answer in the receive; it looks at its epoll set
// as soon as anything else may be there or is due.
func TestAwaitAnswer(t *testing.T) {
	l := awaiting(t, false)
	if !l.awaitAnswer() || l.events[0].Fd != 0 || l.events[0].Events != unix.EPOLLIN {
		t.Fatalf("has not waited for the answer: %+v", l.received)
	}
	if n, _, err := l.read(l.conns[0]); n != 4 || err != 0 || string(l.in.Buffer[:n]) != "1234" {
		t.Errorf("read %d bytes, error %v", n, err)
	}
	if n, _, err := l.read(l.conns[0]); err != unix.EAGAIN {
		t.Errorf("read the same answer again: %d bytes, error %v", n, err)
	}
	for name, change := range map[string]func(*Loop){
		"something in the inbox":   func(l *Loop) { l.stop() },
		"nothing asked":            func(l *Loop) { l.conns[0].state = thinking },
		"the end of a step nearby": func(l *Loop) { l.boundary = l.clock() + int64(receivePatience)/2 },
		"no connection":            func(l *Loop) { l.conns[0].close() },
		"a second connection":      func(l *Loop) { l.conns = append(l.conns, newConnection(l.job.Program, 1, 1, l.conns[0].draws)) },
	} {
		l := awaiting(t, false)
		if change(l); l.awaitAnswer() {
			t.Errorf("%s: waited for the answer alone", name)
		}
	}
	if awaiting(t, true).awaitAnswer() {
		t.Error("an open loop waited for the answer alone: its next arrival may be due")
	}
	l = awaiting(t, false)
	l.stop()
	l.receiveInbox()
	if l.phase = measuring; !l.awaitAnswer() {
		t.Error("does not wait for answers after it has read its inbox")
	}
}
