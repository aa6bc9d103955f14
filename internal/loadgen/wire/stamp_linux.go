//go:build linux && !portable

package wire

import (
	"encoding/binary"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Receiver is a buffer to receive into, with the kernel's time stamp of what was
// received. All connections of a loop share one; it must not be copied.
type Receiver struct {
	Buffer  []byte
	vector  unix.Iovec
	message unix.Msghdr
	control [64]byte
}

// NewReceiver returns a receiver with room for size bytes.
func NewReceiver(size int) *Receiver {
	r := &Receiver{Buffer: make([]byte, size)}
	r.vector = unix.Iovec{Base: &r.Buffer[0], Len: uint64(size)}
	r.message = unix.Msghdr{Iov: &r.vector, Iovlen: 1, Control: &r.control[0]}
	return r
}

// Stamp asks the kernel for the time at which packets arrive: between that and the
// return of epoll_wait lie the wake-up of our thread and all that was handled
// before, which are not the server's time. Unix sockets have no such stamps, and
// crypto/tls does not hand them on: then Stamp returns false, and every stamp is 0.
func (c *Conn) Stamp() bool {
	c.stamped = c.tls == nil && unix.SetsockoptInt(c.FD, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil
	return c.stamped
}

// ReceiveStamped is Receive into r, and when the last packet of it arrived, in
// nanoseconds of CLOCK_REALTIME; 0 where the kernel does not say.
func (c *Conn) ReceiveStamped(r *Receiver) (n int, stamp int64, err syscall.Errno) {
	if !c.stamped {
		n, err = c.Receive(r.Buffer)
		return n, 0, err
	}
	for {
		if n, stamp, err = c.receiveMessage(r, unix.MSG_DONTWAIT); err != unix.EINTR {
			return n, stamp, err
		}
	}
}

// Waits prepares the connection for ReceiveWaiting, which waits for at most limit, and says whether
// it can: not with TLS. All other calls do not wait for anything, as before: they say so each time
// (MSG_DONTWAIT, recv(2)).
func (c *Conn) Waits(limit time.Duration) bool {
	if c.tls != nil || len(c.pending) > 0 {
		return false // unsent bytes are waited for with epoll
	}
	if c.waits != limit {
		t := unix.NsecToTimeval(int64(limit))
		if unix.SetsockoptTimeval(c.FD, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t) != nil || unix.SetNonblock(c.FD, false) != nil {
			return false
		}
		c.waits = limit
	}
	return true
}

// ReceiveWaiting is ReceiveStamped that waits until something arrives. EAGAIN means that nothing has
// within the limit of Waits, EINTR that a signal ended the wait.
func (c *Conn) ReceiveWaiting(r *Receiver) (n int, stamp int64, err syscall.Errno) {
	return c.receiveMessage(r, 0)
}

func (c *Conn) receiveMessage(r *Receiver, flags uintptr) (n int, stamp int64, err syscall.Errno) {
	r.message.Controllen = uint64(len(r.control))
	got, _, err := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(c.FD), uintptr(unsafe.Pointer(&r.message)), flags)
	switch {
	case err == 0 && got == 0:
		return 0, 0, unix.ECONNRESET
	case err != 0:
		return 0, 0, err
	}
	return int(got), r.stamp(), 0
}

// stamp reads the control message, of which there is at most the one asked for:
// length (8 bytes), level and type (4 each), seconds and nanoseconds (cmsg(3)).
func (r *Receiver) stamp() int64 {
	if r.message.Controllen < 32 || binary.NativeEndian.Uint32(r.control[12:]) != unix.SCM_TIMESTAMPNS {
		return 0
	}
	return int64(binary.NativeEndian.Uint64(r.control[16:]))*1e9 + int64(binary.NativeEndian.Uint64(r.control[24:]))
}
