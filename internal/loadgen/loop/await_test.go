package loop

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// awaiting is a loop whose only connection has asked and has an answer of four bytes. Something is due in
// an hour, not in a second.
func awaiting(t *testing.T) *Loop {
	t.Helper()
	l, c, peer := muteWith(t, programOf(t, "oltp_point_select", 1))
	if _, err := unix.Write(peer, []byte("1234")); err != nil {
		t.Fatal(err)
	}
	c.state, l.boundary = asked, int64(time.Hour)
	return l
}

// TestAwaitAnswer: a loop with one connection takes the answer in the receive; it looks at its epoll set
// as soon as anything else may be there or is due.
func TestAwaitAnswer(t *testing.T) {
	l := awaiting(t)
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
		"an arrival soon": func(l *Loop) {
			l.open, l.idle, l.claimed = true, l.conns, l.clock()+int64(receivePatience)/2
		},
		"a second connection": func(l *Loop) { l.conns = append(l.conns, newConnection(l.job.Program, 1, 1, l.conns[0].draws)) },
	} {
		l := awaiting(t)
		if change(l); l.awaitAnswer() {
			t.Errorf("%s: waited for the answer alone", name)
		}
	}
	l = awaiting(t)
	l.stop()
	l.receiveInbox()
	if l.phase = measuring; !l.awaitAnswer() {
		t.Error("does not wait for answers after it has read its inbox")
	}
}
