package external

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestBrokenConnection: a connection that breaks while its answer is awaited says nothing of the
// server, which answers on the next one.
func TestBrokenConnection(t *testing.T) {
	s := serve(t, mysqldtest.Distributions(t)[0], nil)
	path := breakable(t, s.port)
	s.port = path.listener.Addr().(*net.TCPAddr).Port
	running, err := s.target(t, "user: tare, shared: true").Start(t.Context(), requests(t)())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { running.Stop(context.Background()) })
	asked := running.(*server)
	if err := asked.Alive(); err != nil {
		t.Fatal(err)
	}
	asked.mu.Lock()
	asked.asked = time.Time{} // or that answer still counts
	asked.mu.Unlock()
	path.armed.Store(true)
	if err := asked.Alive(); err != nil || path.armed.Load() {
		t.Errorf("Alive: %v; the connection is still to be broken: %v", err, path.armed.Load())
	}
}

// breakablePath is a TCP proxy before a server. Once it is armed, it breaks the connection on which a
// client sends something next, and does not pass that on.
type breakablePath struct {
	listener net.Listener
	armed    atomic.Bool
}

func breakable(t *testing.T, port int) *breakablePath {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &breakablePath{listener: l}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Error(err)
				client.Close()
				return
			}
			go p.answer(client, server)
			go p.pass(server, client)
		}
	}()
	return p
}

func (p *breakablePath) answer(client, server net.Conn) {
	defer client.Close()
	_, _ = io.Copy(client, server) // until either ends
}

func (p *breakablePath) pass(server, client net.Conn) {
	defer server.Close()
	for b := make([]byte, 1<<15); ; {
		n, err := client.Read(b)
		if err != nil || p.armed.CompareAndSwap(true, false) {
			return
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}
