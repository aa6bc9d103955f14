//go:build linux && !portable

package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
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

// Release takes the socket out of the runtime's hands. The session is over.
func (s *Session) Release() (*Conn, error) {
	if err := s.conn.SetDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("release connection: %w", err)
	}
	c, err := Take(s.lower.Conn)
	if err != nil {
		return nil, fmt.Errorf("release connection: %w", err)
	}
	c.ID, c.Version = s.id, s.version
	if t, ok := s.conn.(*tls.Conn); ok {
		c.tls = t
	}
	s.lower.to = c
	return c, nil
}

// Take takes a socket out of the runtime's hands.
func Take(from net.Conn) (*Conn, error) {
	// A duplicate, and the runtime's own closed: its poller would otherwise see
	// every edge too (pollDesc.close removes it from the runtime's epoll).
	fd, err := duplicate(from)
	if err != nil {
		return nil, err
	}
	if err := from.Close(); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &Conn{FD: fd}, nil
}

func duplicate(c net.Conn) (fd int, err error) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("%T has no descriptor", c)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return -1, err
	}
	ctl := raw.Control(func(from uintptr) {
		// O_NONBLOCK belongs to the open file, which both share.
		fd, err = unix.FcntlInt(from, unix.F_DUPFD_CLOEXEC, 0)
	})
	return fd, errors.Join(ctl, err)
}

// TCPInfo is that of the connection; an error where it is a Unix socket.
func (c *Conn) TCPInfo() (TCPInfo, error) { return infoOfSocket(c.FD) }

// Close closes the socket without a word to the server.
func (c *Conn) Close() error { return unix.Close(c.FD) }

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
