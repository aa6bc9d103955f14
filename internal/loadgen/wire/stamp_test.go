package wire_test

import (
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// TestReceiveWaiting: the call that waits ends with what arrives, and with EAGAIN where nothing does;
// the calls that do not wait go on not to; a peer that has closed is a lost connection.
func TestReceiveWaiting(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, peer, r := &wire.Conn{FD: fds[0]}, fds[1], wire.NewReceiver(64)
	defer c.Close()
	if !c.Waits(time.Millisecond) {
		t.Fatal("cannot wait")
	}
	receive := func() (string, syscall.Errno) {
		for {
			if n, _, err := c.ReceiveWaiting(r); err != unix.EINTR { // a signal of the runtime
				return string(r.Buffer[:n]), err
			}
		}
	}
	if _, err := receive(); err != unix.EAGAIN {
		t.Errorf("nothing arrives: %v, want EAGAIN", err)
	}
	if !c.Waits(time.Minute) {
		t.Fatal("cannot wait for longer")
	}
	if _, _, err := c.ReceiveStamped(r); err != unix.EAGAIN {
		t.Errorf("a call that does not wait: %v, want EAGAIN", err)
	}
	go func() {
		if _, err := unix.Write(peer, []byte("answer")); err != nil {
			t.Error(err)
		}
	}()
	if text, err := receive(); err != 0 || text != "answer" {
		t.Errorf("received %q, error %v", text, err)
	}
	if err := c.Send(make([]byte, 4<<20)); err != 0 || c.Waits(time.Minute) { // the kernel takes a part of it
		t.Errorf("waits for an answer to a request that is not sent (error %v)", err)
	}
	if err := unix.Close(peer); err != nil {
		t.Fatal(err)
	}
	if _, err := receive(); err != unix.ECONNRESET {
		t.Errorf("the peer has closed: %v, want ECONNRESET", err)
	}
}
