//go:build lab

package kubernetes

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// cutter passes connections on to an API server, and breaks the first that has sent many bytes.
type cutter struct {
	to    string
	after int64

	mu  sync.Mutex
	cut bool
}

// cutTo breaks a connection of a cluster in the middle of what it sends.
func cutTo(t *testing.T, c *cluster, after int64) *cutter {
	t.Helper()
	at, err := url.Parse(c.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	cut := &cutter{to: at.Host, after: after}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go cut.pass(conn)
		}
	}()
	c.config.ServerName = at.Hostname()
	c.config.Host = "https://" + l.Addr().String()
	return cut
}

func (c *cutter) pass(conn net.Conn) {
	defer conn.Close()
	to, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(conn, to) // the end of either is the end of both
		conn.Close()
	}()
	if _, err := io.CopyN(to, conn, c.after); err != nil {
		return
	}
	c.mu.Lock()
	first := !c.cut
	c.cut = true
	c.mu.Unlock()
	if !first {
		_, _ = io.Copy(to, conn)
	}
}

// TestProgramIsStreamed: without an image of tare, load pods and a neighbour start from the
// server's image and get the program through the API server, also where a connection breaks in
// the middle.
func TestProgramIsStreamed(t *testing.T) {
	set := settings(t)
	set.Seccomp, set.Clients, set.Neighbour = "RuntimeDefault", 2, &node.Neighbour{CPU: 100}
	set.Programs = programOfTests(t)
	k := labArm(t, set)
	cut := cutTo(t, k.cluster, 4<<20)
	begun := time.Now()
	s, j := prepared(t, k, 2)
	t.Logf("server and neighbour after %s", time.Since(begun))
	begun = time.Now()
	var window *record.Window
	outcome, reason, err := loadgen.Distribute(context.Background(), j, s.Generators(), s.request.Name, s.Generate, func(l record.Line) error {
		if l.Window != nil {
			window = l.Window
		}
		return nil
	})
	if err != nil || outcome != record.Measured || window == nil || window.Counts.Transactions == 0 {
		t.Fatalf("Distribute: %s %s, %v; %+v", outcome, reason, err, window)
	}
	t.Logf("load of %s after %s", j.Measure, time.Since(begun))
	if got := factOf(s, "neighbour.alive"); got != "yes" {
		t.Errorf("neighbour.alive is %q", got)
	}
	cut.mu.Lock()
	defer cut.mu.Unlock()
	if !cut.cut {
		t.Error("no connection was broken")
	}
}

// programOfTests is tare's program: the one that runs here is that of the tests.
func programOfTests(t *testing.T) []string {
	t.Helper()
	file := os.Getenv("TARE_TEST_PROGRAM")
	if file == "" {
		t.Skip("TARE_TEST_PROGRAM names no program of tare, which is streamed into pods")
	}
	return []string{file}
}
