package targettest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/target"
)

// testCancelBeforeStart: a context that is done starts nothing.
func testCancelBeforeStart(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if server, err := s.target.Start(ctx, r); err == nil {
		_ = server.Stop(context.Background())
		t.Error("Start with a context that is done succeeded")
	}
	before.same(t)
}

// testCancelDuringStart: wherever in Start the context ends, nothing is left.
// Making the system tables takes seconds, so a start is cut off in that as well.
func testCancelDuringStart(t *testing.T, s suite) {
	for _, delay := range []time.Duration{
		100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond,
		100 * time.Millisecond, 500 * time.Millisecond,
	} {
		s.cancelAfter(t, s.request(), delay)
		if s.target.Data() == target.Files {
			s.cancelAfter(t, empty(t, s.request()), delay)
		}
	}
}

// cancelAfter starts a server with a context that ends after delay.
func (s suite) cancelAfter(t *testing.T, r target.Request, delay time.Duration) {
	t.Helper()
	before := look(t, r)
	ctx, cancel := context.WithTimeout(context.Background(), delay)
	defer cancel()
	begun := time.Now()
	server, err := s.target.Start(ctx, r)
	switch took := time.Since(begun); {
	case err == nil: // it was faster than that, and stopping is up to us
		if err := server.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	case took > delay+hang:
		t.Errorf("Start returned %s after its context ended", took-delay)
	}
	before.same(t)
}

// empty makes a request one for a server on an empty data directory.
func empty(t *testing.T, r target.Request) target.Request {
	t.Helper()
	r.Initialize, r.DataDir = true, filepath.Join(r.Dir, "empty")
	if err := os.Mkdir(r.DataDir, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// testCancelWhileReady: the end of the context that a server was started with
// does not keep it from being stopped.
func testCancelWhileReady(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := s.target.Start(ctx, r)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	answers(t, server, r)
	cancel()
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	before.same(t)
}

// testStopAtOnce: a Stop that has no time takes down everything all the same.
func testStopAtOnce(t *testing.T, s suite) {
	for _, ready := range []bool{false, true} {
		r := s.request()
		before := look(t, r)
		server, err := s.target.Start(context.Background(), r)
		if err != nil {
			t.Fatalf("Start: %v", err)
		}
		if ready {
			answers(t, server, r)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		begun := time.Now()
		if err := server.Stop(ctx); err != nil {
			t.Logf("Stop with a context that is done: %v", err)
		}
		if took := time.Since(begun); took > hang {
			t.Errorf("Stop with a context that is done took %s", took)
		}
		before.same(t)
	}
}

// sleepers are the instance's processes that only wait.
func sleepers(t *testing.T, r target.Request) int {
	t.Helper()
	found, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range found.Processes {
		if p.Command == "sleep" || p.Command == "sh" || p.Command == "dash" {
			n++
		}
	}
	return n
}
