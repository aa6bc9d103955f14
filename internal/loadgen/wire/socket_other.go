//go:build !linux || portable

package wire

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// Conn is an authenticated connection that no longer blocks. Here a goroutine of its own reads from it: the
// runtime waits for all sockets, by the system's own means (kqueue, I/O completion ports). That costs two more
// switches between goroutines for an answer than the sockets of Linux; how much CPU time that is was not measured.
// It is used by one goroutine at a time.
type Conn struct {
	// ID is the server's number of the connection (CONNECTION_ID()).
	ID uint32
	// Version is what the server said of itself.
	Version string

	conn   net.Conn
	taken  chan struct{} // what had arrived has been received
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	arrived []byte // read and not yet received
	err     error  // ends the connection, after what has arrived
}

// switched is the connection as the handshake reads from it.
type switched struct{ net.Conn }

// Release hands the connection to an event loop. The session is over.
func (s *Session) Release() (*Conn, error) {
	if err := s.conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	c, err := Take(s.conn)
	if err != nil {
		return nil, err
	}
	c.ID, c.Version = s.id, s.version
	return c, nil
}

// Take makes a Conn of a connection.
func Take(from net.Conn) (*Conn, error) {
	return &Conn{conn: from, taken: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

// chunk is how much is read at a time.
const chunk = 16 << 10

// Watch begins to read. It calls arrived whenever there is something to receive, or the connection has ended.
func (c *Conn) Watch(arrived func()) {
	go func() {
		b := make([]byte, chunk)
		for {
			n, err := c.conn.Read(b)
			c.mu.Lock()
			c.arrived, c.err = b[:n], err
			c.mu.Unlock()
			if n > 0 || err != nil {
				arrived()
			}
			if err != nil {
				return
			}
			if n == 0 {
				continue
			}
			select {
			case <-c.taken:
			case <-c.closed:
				return
			}
		}
	}()
}

// sendLimit bounds one Send. A statement is smaller than the system's buffer, and the one before it has been
// answered, so that a send waits only for a server that is gone, or for a value of megabytes.
const sendLimit = 10 * time.Second

// Send hands b to the system. It returns 0 or the error that ends the connection.
func (c *Conn) Send(b []byte) syscall.Errno {
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendLimit)); err != nil {
		return errno(err)
	}
	_, err := c.conn.Write(b)
	return errno(err)
}

// Flush has nothing to send: Send sends all.
func (c *Conn) Flush() syscall.Errno { return 0 }

// Receive takes what has arrived, at most len(b) bytes. EAGAIN means nothing has,
// ECONNRESET also that the server closed the connection.
func (c *Conn) Receive(b []byte) (int, syscall.Errno) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.arrived) == 0 {
		if c.err != nil {
			return 0, errno(c.err)
		}
		return 0, syscall.EAGAIN
	}
	n := copy(b, c.arrived)
	if c.arrived = c.arrived[n:]; len(c.arrived) == 0 && c.err == nil {
		c.taken <- struct{}{}
	}
	return n, 0
}

// Drained is false: the next Receive says whether something is left.
func (c *Conn) Drained(int, int) bool { return false }

// TCPInfo is not to be had here.
func (c *Conn) TCPInfo() (TCPInfo, error) { return TCPInfo{}, errors.ErrUnsupported }

// Close closes the connection without a word to the server.
func (c *Conn) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		err = c.conn.Close()
	})
	return err
}

// Receiver is a buffer to receive into.
type Receiver struct{ Buffer []byte }

// NewReceiver returns a receiver with room for size bytes.
func NewReceiver(size int) *Receiver { return &Receiver{make([]byte, size)} }

// Stamp is false: no system but Linux stamps what arrives at a TCP socket.
func (c *Conn) Stamp() bool { return false }

// ReceiveStamped is Receive into r; the stamp is 0.
func (c *Conn) ReceiveStamped(r *Receiver) (n int, stamp int64, err syscall.Errno) {
	n, err = c.Receive(r.Buffer)
	return n, 0, err
}
