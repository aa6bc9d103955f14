package process_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// holder is a proxy to a server's socket. When the server has gone, it keeps new connections without an answer, until a
// time after the server listens again. It closes them then, and leads to the server.
type holder struct {
	socket string
	hold   time.Duration

	mu      sync.Mutex
	holding bool
	kept    []net.Conn
	// listened is when the server listened again, greeted when its first answer after that was passed on.
	listened, greeted time.Time
	group             sync.WaitGroup
	ended             chan struct{}
}

// holdingBack is a holder with its address, which ends with the test.
func holdingBack(t *testing.T, socket string, hold time.Duration) (h *holder, host string, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h = &holder{socket: socket, hold: hold, ended: make(chan struct{})}
	h.group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.group.Go(func() { h.take(conn) })
		}
	})
	t.Cleanup(func() {
		close(h.ended)
		_ = l.Close() // nothing is left to lose
		h.release()
		h.group.Wait()
	})
	at := l.Addr().(*net.TCPAddr)
	return h, at.IP.String(), at.Port
}

// take keeps a connection, or passes it on.
func (h *holder) take(conn net.Conn) {
	h.mu.Lock()
	if h.holding {
		h.kept = append(h.kept, conn)
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	server, err := net.Dial("unix", h.socket)
	if err != nil {
		_ = conn.Close()
		h.lost()
		return
	}
	h.group.Go(func() {
		_, _ = io.Copy(server, conn) // how a direction ends is not told apart
		_ = server.Close()
	})
	// A client that has ended its connection closes the server's as well; a server that has died closes this one alone.
	_, _ = io.Copy(io.MultiWriter(greeting{h}, conn), server)
	_ = conn.Close()
	// The socket on which a killed server listens can outlive its connections by the time that its memory takes to be freed.
	for range 40 {
		probe, err := net.Dial("unix", h.socket)
		if err != nil {
			h.lost()
			return
		}
		_ = probe.Close()
		if !h.pause(5 * time.Millisecond) {
			return
		}
	}
}

// greeting notes the first answer of a server that listens again.
type greeting struct{ *holder }

func (g greeting) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.greeted.IsZero() && !g.listened.IsZero() {
		g.greeted = time.Now()
	}
	return len(b), nil
}

// took is for how long connections were held back after the server listened, in s.
func (h *holder) took() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.greeted.Sub(h.listened).Seconds()
}

// lost begins to hold connections back.
func (h *holder) lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holding {
		return
	}
	h.holding = true
	h.group.Go(func() {
		for h.pause(5 * time.Millisecond) {
			if probe, err := net.Dial("unix", h.socket); err == nil {
				_ = probe.Close()
				break
			}
		}
		h.mu.Lock()
		h.listened = time.Now()
		h.mu.Unlock()
		h.pause(h.hold)
		h.release()
	})
}

// pause waits; false says that the test has ended.
func (h *holder) pause(d time.Duration) bool {
	select {
	case <-h.ended:
		return false
	case <-time.After(d):
		return true
	}
}

// release closes what was kept, and leads to the server.
func (h *holder) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holding = false
	for _, conn := range h.kept {
		_ = conn.Close()
	}
	h.kept = nil
}
