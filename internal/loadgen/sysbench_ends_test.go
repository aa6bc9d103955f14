package loadgen

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// TestSysbenchEnds: how a run ends on one server, which the last of it kills.
func TestSysbenchEnds(t *testing.T) {
	k := kinds(t)
	server := startServer(t, k[len(k)-1])
	t.Run("script", func(t *testing.T) { sysbenchRunsScripts(t, server) })
	t.Run("stopped", func(t *testing.T) { sysbenchIsStopped(t, server) })
	t.Run("gives up", func(t *testing.T) { sysbenchGivesUp(t, server) })
}

// sysbenchGivesUp: every way in which a run ends before its time.
func sysbenchGivesUp(t *testing.T, server *testServer) {
	engine := Sysbench("")
	j := smallJob(t, server.bench(), "oltp_read_write")
	if err := engine.Prepare(t.Context(), j, os.Stderr); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		change  func(*Job)
		outcome record.Outcome
		reason  string
	}{
		{"wrong password", func(j *Job) { j.Server.Password = "not-this-one" }, record.Failed, "error 1045"},
		{"no such schema", func(j *Job) { j.Server.Schema = "elsewhere" }, record.Failed, "error 10"},
		{"no server", func(j *Job) { j.Server.Socket += "x" }, record.Starved, "error 2002"},
		{"no table", func(j *Job) { j.Tables = 3 }, record.Failed, "MySQL error: 1146"},
		{"usage", func(j *Job) { j.Options = map[string]string{"no-such-option": "1"} }, record.Failed, "invalid option: --no-such-option=1"},
		{"nothing done", func(j *Job) { j.Workload, j.Tables, j.Rows = "testdata/nothing.lua", 0, 0 }, record.Starved, "no transaction was committed"},
		{"queue full", func(j *Job) { j.Rate = 2e6 }, record.Starved, "The event queue is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := smallJob(t, server.bench(), "oltp_read_write")
			j.Measure = 2 * time.Second
			c.change(&j)
			outcome, reason, err := engine.Run(t.Context(), j, func(record.Line) error { return nil })
			if outcome != c.outcome || !strings.Contains(reason, c.reason) || (err != nil) != (outcome == record.Failed) {
				t.Errorf("%v, %q, %v; want %v, %q", outcome, reason, err, c.outcome, c.reason)
			}
			if strings.Contains(reason, "not-this-one") {
				t.Error("the password is in the reason")
			}
		})
	}
	t.Run("server dies", func(t *testing.T) { serverDies(t, server, engine) }) // the last: it is gone then
}

func serverDies(t *testing.T, server *testServer, engine Engine) {
	j := smallJob(t, server.bench(), "oltp_read_only")
	j.Measure = 4 * time.Minute // at most: it ends with the server
	var window *record.Window
	fatal, killed := false, false
	outcome, reason, err := engine.Run(t.Context(), j, func(l record.Line) error {
		if l.Interval != nil && l.Interval.End >= 3 && !killed { // sysbench leaves out seconds that it slept through
			killed = true
			return server.process.Kill()
		}
		fatal = fatal || l.Event != nil && l.Event.Name == "fatal"
		if l.Window != nil {
			window = l.Window
		}
		return nil
	})
	// The connection is lost while an answer is waited for, or before a statement is sent.
	if outcome != record.Starved || err != nil || !strings.Contains(reason, "2013") && !strings.Contains(reason, "2006") {
		t.Errorf("%v, %q, %v", outcome, reason, err)
	}
	if window == nil || !window.Partial || window.Seconds < 2 || window.Throughput() <= 0 || !fatal {
		t.Errorf("window %+v, fatal event %v", window, fatal)
	}
}

// sysbenchIsStopped: nothing of it is left when the context ends, when nobody
// takes its lines, or when the program cannot be had.
func sysbenchIsStopped(t *testing.T, server *testServer) {
	engine := Sysbench("")
	j := smallJob(t, server.root(), "oltp_point_select")
	j.Measure = time.Hour // it is stopped long before
	if err := engine.Prepare(t.Context(), j, os.Stderr); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	cause := errors.New("the user pressed Ctrl-C")
	for name, c := range map[string]struct {
		emit func(cancel func()) error
		want error
	}{
		"cancelled":     {func(cancel func()) error { cancel(); return nil }, cause},
		"lines refused": {func(func()) error { return full }, full},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			outcome, reason, err := engine.Run(ctx, j, func(l record.Line) error {
				if l.Interval == nil {
					return nil
				}
				return c.emit(func() { cancel(cause) })
			})
			if outcome != record.Failed || !errors.Is(err, c.want) || !strings.Contains(reason, c.want.Error()) {
				t.Errorf("%v, %q, %v; want %v", outcome, reason, err, c.want)
			}
			if pids := children(t); len(pids) > 0 {
				t.Errorf("still running: %v", pids)
			}
			if left, _ := os.ReadDir(j.Dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	if err := engine.Cleanup(t.Context(), j, os.Stderr); err != nil {
		t.Fatal(err)
	}
	outcome, reason, err := Sysbench("/no/such/sysbench").Run(t.Context(), j, func(record.Line) error { return nil })
	if outcome != record.Failed || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the program: %v, %q, %v", outcome, reason, err)
	}
}

// sysbenchRunsScripts: a script of the user's, with another beside it, from
// any working directory.
func sysbenchRunsScripts(t *testing.T, server *testServer) {
	j := smallJob(t, server.bench(), "testdata/select.lua")
	j.Tables, j.Rows = 0, 0
	j.Options = map[string]string{"what": "41+1"}
	engine := Sysbench("")
	if errs := engine.Check(t.Context(), j); len(errs) > 0 {
		t.Fatal(errs)
	}
	runAndCheck(t, engine, j)
}
