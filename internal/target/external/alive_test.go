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
	path := &breakablePath{}
	s.port = mysqldtest.Relay(t, "tcp", fmt.Sprintf("127.0.0.1:%d", s.port), path.pass)
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

// breakablePath passes on what connections to a server send and receive. Once it is armed, it breaks the
// connection on which a client sends something next, and does not pass that on.
type breakablePath struct{ armed atomic.Bool }

func (p *breakablePath) pass(client, server net.Conn) {
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
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
