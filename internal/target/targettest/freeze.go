package targettest

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

// testTurns: servers that take turns are frozen between them, or the target says that they never are.
func testTurns(t *testing.T, s suite) {
	r := s.request()
	before := look(t, r)
	server := s.start(t, r)
	place, has := s.target.Capabilities(), server.Capabilities()
	if takesTurns := len(place.Memories) > 0; takesTurns && place.NeverFrozen == (has.Freeze != nil) {
		t.Errorf("NeverFrozen is %v of a target whose servers have a Freeze: %v", place.NeverFrozen, has.Freeze != nil)
	}
	if (has.Freeze == nil) != (has.Thaw == nil) {
		t.Error("a server has Freeze without Thaw, or Thaw without Freeze")
	}
	if has.Freeze != nil {
		testFreeze(t, server)
	} else {
		testIdle(t, server)
	}
	before.same(t)
}

// testIdle: a connection that had no load while others had their turns is the same afterwards, and so is the server.
func testIdle(t *testing.T, server target.Server) {
	db, err := mysqld.Open(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	id := func() (id int) {
		if err := db.QueryRow("SELECT CONNECTION_ID()").Scan(&id); err != nil {
			t.Errorf("ask the idle server: %v", err)
		}
		return id
	}
	first := id()
	for range 3 { // what the runner does in the turns of others
		if err := server.Alive(); err != nil {
			t.Errorf("Alive of an idle server: %v", err)
		}
	}
	if again := id(); again != first {
		t.Errorf("connection %d of an idle server became %d", first, again)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop of an idle server: %v", err)
	}
}

// testFreeze: a frozen server uses no CPU although it has work, answers once it is
// thawed, and can be stopped while it is frozen.
func testFreeze(t *testing.T, server target.Server) {
	has := server.Capabilities()
	db, err := mysqld.Open(server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answer := make(chan error, 1)
	go func() {
		var n int
		answer <- db.QueryRow("SELECT BENCHMARK(3000000, SHA2('a', 512))").Scan(&n)
	}()
	pid := target.PIDOf(server)
	for start := ticks(t, pid); ticks(t, pid) < start+2; time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-answer:
			t.Fatalf("the query ended before the server was frozen: %v", err)
		default:
		}
	}
	for err := has.Freeze(); err != nil; err = has.Freeze() {
		t.Logf("Freeze: %v", err) // the kernel holds a task
	}
	settled(t, pid)
	stopped := ticks(t, pid)
	time.Sleep(300 * time.Millisecond)
	if now := ticks(t, pid); now != stopped {
		t.Errorf("the frozen server used %d ticks of CPU", now-stopped)
	}
	if err := has.Thaw(); err != nil {
		t.Errorf("Thaw: %v", err)
	}
	if err := <-answer; err != nil {
		t.Errorf("the query that was frozen: %v", err)
	}
	if err := has.Thaw(); err != nil {
		t.Errorf("Thaw of a server that is not frozen: %v", err)
	}
	_ = has.Freeze()
	if err := server.Stop(context.Background()); err != nil {
		t.Errorf("Stop of a frozen server: %v", err)
	}
	if err := has.Thaw(); err != nil {
		t.Errorf("Thaw of a server that is gone: %v", err)
	}
}

// settled waits until a signal has reached every thread: kill(2) returns before.
func settled(t *testing.T, pid int) {
	t.Helper()
	last := -1
	for now := ticks(t, pid); now != last; now = ticks(t, pid) {
		last = now
		time.Sleep(100 * time.Millisecond)
	}
}

// ticks is the CPU time of a process, in clock ticks.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	p, err := procfs.NewProc(pid)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return int(stat.UTime + stat.STime)
}
