package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Conn is an authenticated connection that no longer blocks: an event loop waits
// for FD to become ready. It is used by one goroutine at a time.
type Conn struct {
	// FD is the socket, for epoll; Close closes it.
	FD int
	// ID is the server's number of the connection (CONNECTION_ID()).
	ID uint32
	// Version is what the server said of itself.
	Version string

	tls     *tls.Conn     // nil without TLS
	stamped bool          // the kernel stamps what arrives
	waits   time.Duration // limit of ReceiveWaiting, 0 before Waits
	pending []byte        // accepted by Send, not yet by the kernel
}

// again is what a raw socket returns where a blocking one would wait. crypto/tls
// keeps its state over a temporary error and can be asked again.
type again struct{}

func (again) Error() string   { return "would block" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

// Send hands b to the kernel, and keeps what it does not take until Flush. It
// returns 0 or the error that ends the connection. The common case is one system
// call and no allocation.
func (c *Conn) Send(b []byte) syscall.Errno {
	if c.tls != nil {
		if _, err := c.tls.Write(b); err != nil {
			return errno(err)
		}
		return 0
	}
	return c.send(b)
}

func (c *Conn) send(b []byte) syscall.Errno {
	if len(c.pending) > 0 {
		c.pending = append(c.pending, b...)
		return 0
	}
	for len(b) > 0 {
		n, err := rawSend(c.FD, b)
		switch err {
		case 0:
			b = b[n:]
		case unix.EINTR:
		case unix.EAGAIN:
			c.pending = append(c.pending, b...)
			return 0
		default:
			return err
		}
	}
	return 0
}

// Flush sends what Send kept; to be called when the socket can be written again.
func (c *Conn) Flush() syscall.Errno {
	if len(c.pending) == 0 {
		return 0
	}
	b := c.pending
	c.pending = nil
	return c.send(b)
}

// Receive reads what is there, at most len(b) bytes. EAGAIN means nothing is,
// ECONNRESET also that the server closed the connection. With TLS a short read
// does not mean that nothing more is there.
func (c *Conn) Receive(b []byte) (int, syscall.Errno) {
	if c.tls != nil {
		n, err := c.tls.Read(b)
		if n > 0 {
			return n, 0
		}
		return 0, errno(err)
	}
	return c.receive(b)
}

// Drained says whether a read of n bytes into room for size has left nothing
// behind, so that the next read can wait for an edge (epoll(7), question 9).
func (c *Conn) Drained(n, size int) bool { return c.tls == nil && n < size }

func (c *Conn) receive(b []byte) (int, syscall.Errno) {
	for {
		n, err := rawReceive(c.FD, b)
		switch {
		case err == unix.EINTR:
		case err == 0 && n == 0:
			return 0, unix.ECONNRESET
		default:
			return n, err
		}
	}
}

// Close closes the socket without a word to the server.
func (c *Conn) Close() error { return unix.Close(c.FD) }

// errno finds the system's error in what crypto/tls returns. Whatever is none of
// the system's (a bad record, an alert) ends the connection as a reset does.
func errno(err error) syscall.Errno {
	var number syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.Is(err, again{}):
		return unix.EAGAIN
	case errors.As(err, &number):
		return number
	}
	return unix.ECONNRESET
}

// switched is what crypto/tls reads from and writes to: the runtime's blocking
// connection during the handshake, then our own descriptor.
type switched struct {
	net.Conn
	to *Conn // nil during the handshake
}

func (s *switched) Read(b []byte) (int, error) {
	if s.to == nil {
		return s.Conn.Read(b)
	}
	n, err := s.to.receive(b)
	switch err {
	case 0:
		return n, nil
	case unix.EAGAIN:
		return 0, again{}
	case unix.ECONNRESET:
		return 0, io.EOF
	}
	return 0, err
}

func (s *switched) Write(b []byte) (int, error) {
	if s.to == nil {
		return s.Conn.Write(b)
	}
	if err := s.to.send(b); err != 0 {
		return 0, err
	}
	return len(b), nil
}

// The raw calls do not tell the scheduler: a non-blocking send or receive returns
// in microseconds, and entersyscall and exitsyscall would cost a good part of it.

func rawSend(fd int, b []byte) (int, syscall.Errno) {
	n, _, err := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	return int(n), err
}

func rawReceive(fd int, b []byte) (int, syscall.Errno) {
	n, _, err := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), err
}
