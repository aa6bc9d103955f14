package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// builtInSpread: two generators of one load; the first says what its path to the idle
// server is like, before and after, and where nobody asks for it, none does.
func builtInSpread(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Warmup = 0
	if err := BuiltIn("").Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	for name, measure := range map[string]bool{"measured": true, "unmeasured": false} {
		j.MeasurePath = measure
		number := 0
		mysqldtest.Attempts(t, 5, func() error {
			number++
			j.Measure = time.Duration(number) * time.Second // a stop that comes again and again covers no longer one
			return spreadOnce(t, j, name+strconv.Itoa(number))
		})
	}
}

// spreadOnce returns an error where a machine that stood still let a time pass: that of the
// window, of a property of the path, or from the agreement on the start to the start.
func spreadOnce(t *testing.T, j Job, run string) error {
	t.Helper()
	var seen record.Trial
	outcome, reason, err := Distribute(t.Context(), j, 2, run, generators(2), keep(&seen))
	if err != nil && strings.Contains(err.Error(), "run "+run+" began") {
		return err
	}
	if err := starved(t)(outcome, reason, err); err != nil {
		return err
	}
	if seen.Window.Counts.Transactions == 0 {
		t.Errorf("%s: no transactions", run)
	}
	if err := unanswered(t, seen.Facts); err != nil {
		return err
	}
	phases := map[string]string{}
	for _, f := range seen.Facts {
		phases[f.Key] += f.Phase + " "
	}
	for _, w := range pathProperties() {
		want := ""
		if j.MeasurePath {
			want = "start end "
		}
		if got := phases[w.key]; got != want {
			t.Errorf("%s: %s at %q, want %q", run, w.key, got, want)
		}
	}
	return nil
}

// builtInCounted: the counters of a load can be read before its generator measures the path at the end, which makes
// connections of its own.
func builtInCounted(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Warmup, j.MeasurePath = 0, true
	if err := BuiltIn("").Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	control, err := mysqld.Open(j.Server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = control.Close() }()
	control.SetMaxOpenConns(1)
	connections := func() (n int) {
		var name string
		if err := control.QueryRowContext(t.Context(), "SHOW GLOBAL STATUS LIKE 'Connections'").Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	number := 0
	mysqldtest.Attempts(t, 5, func() error {
		number++
		run := "counted" + strconv.Itoa(number)
		j.Measure = time.Duration(number) * time.Second
		atEnd := 0
		j.Counted = func() {
			atEnd = connections()
			if _, err := control.ExecContext(t.Context(), barrier.CountedSQL(j.Server.Schema, run)); err != nil {
				t.Error(err)
			}
		}
		var seen record.Trial
		outcome, reason, err := Distribute(t.Context(), j, 2, run, watched, keep(&seen))
		if err := starved(t)(outcome, reason, err); err != nil {
			return err
		}
		if after := connections(); atEnd == 0 || after-atEnd < connects+sessions {
			t.Errorf("%s: %d connections when the load had ended, %d after the path was measured", run, atEnd, after)
		}
		return unanswered(t, seen.Facts)
	})
}

// watched runs two generators, whose lines pass while they run.
func watched(ctx context.Context, job []byte, line func(int, []byte) error) error {
	ended := make(chan error, 2)
	for number := range 2 {
		go func() {
			ended <- RunPart(ctx, job, number, lineWriter(func(text []byte) error { return line(number, text) }))
		}()
	}
	return errors.Join(<-ended, <-ended)
}

// lineWriter passes on every write, which is a line.
type lineWriter func(text []byte) error

func (w lineWriter) Write(text []byte) (int, error) { return len(text), w(text) }

// TestTurnsDoNotFollowTheWallClock: the moment at which turns begin comes as text, which has the wall
// clock alone. A generator counts from it by the clock that nobody sets, which Time.String shows (m=).
func TestTurnsDoNotFollowTheWallClock(t *testing.T) {
	sent, err := json.Marshal(sharedTurns{Begin: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var s sharedTurns
	if err := json.Unmarshal(sent, &s); err != nil {
		t.Fatal(err)
	}
	begin, err := s.turns().Begin()
	if off := begin.Sub(s.Begin); err != nil || off.Abs() > time.Millisecond || !strings.Contains(begin.String(), " m=") {
		t.Errorf("turns begin at %s, %v off: %v", begin, off, err)
	}
	s.Begin = time.Now().Add(-time.Second)
	if _, err := s.turns().Begin(); err == nil || !strings.Contains(err.Error(), "after the first turn") {
		t.Errorf("a generator that comes too late: %v", err)
	}
}

// builtInNoController: a generator whose controller has gone ends its load, long before
// its own time; one whose controller stays, or was never seen, does not.
func builtInNoController(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Warmup, j.Measure = 0, time.Hour
	if err := BuiltIn("").Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	dialer, err := wire.NewDialer(j.Server)
	if err != nil {
		t.Fatal(err)
	}
	controller, err := dialer.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range barrier.HoldSQL("gone") {
		if _, err := controller.Query(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(shared{Workload: j.Workload, Tables: j.Tables, Rows: j.Rows, Threads: j.Threads, Measure: j.Measure, Percentile: 95, Seed: j.Seed, Server: j.Server, Run: "gone", Of: 1})
	if err != nil {
		t.Fatal(err)
	}
	out := &firstLine{came: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- runPart(t.Context(), text, 0, out, 100*time.Millisecond) }()
	select {
	case <-out.came: // it loads the server
	case err := <-ended:
		t.Fatal(err)
	}
	controller.Close()
	if err := <-ended; !errors.Is(err, barrier.ErrNoController) {
		t.Errorf("a load whose controller is gone: %v", err)
	}
}

// firstLine tells when the first interval of the load is printed: the controller has been seen then.
type firstLine struct {
	once sync.Once
	came chan struct{}
}

func (f *firstLine) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(`"interval":`)) {
		f.once.Do(func() { close(f.came) })
	}
	return len(b), nil
}

// generators run here, each on its own, as pods would.
func generators(of int) Generate {
	return func(ctx context.Context, job []byte, line func(int, []byte) error) error {
		ended := make(chan error, of)
		printed := make([]bytes.Buffer, of)
		for number := range of {
			go func() { ended <- RunPart(ctx, job, number, &printed[number]) }()
		}
		var err error
		for range of {
			err = errors.Join(err, <-ended)
		}
		for number := range of {
			for text := range bytes.Lines(printed[number].Bytes()) {
				err = errors.Join(err, line(number, text))
			}
		}
		return err
	}
}
