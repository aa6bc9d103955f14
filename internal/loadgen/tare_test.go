package loadgen

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

func builtInJob(s *testServer) Job {
	return Job{Workload: "oltp_read_write", Tables: 2, Rows: 2000, Threads: 4, PrepareThreads: 2,
		Warmup: time.Second, Measure: 2 * time.Second, Seed: 1, Server: s.bench(), Options: map[string]string{"range-size": "10"}}
}

// TestBuiltIn needs a server of each kind of this machine; to make one takes longer
// than each of these.
func TestBuiltIn(t *testing.T) {
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			s := startServer(t, k)
			for name, test := range map[string]func(*testing.T, *testServer){
				"trial": builtInTrial, "starves": builtInStarves, "ends with its context": builtInEndsWithItsContext,
				"no password in the record": noPasswordInTheRecord, "spread": builtInSpread, "counted": builtInCounted, "no controller": builtInNoController,
				"announced turns": builtInAnnouncedTurns,
				"exchanges":       builtInExchanges, "prepared elsewhere": builtInPreparedElsewhere, "workload file": builtInFile,
			} {
				t.Run(name, func(t *testing.T) {
					if err := BuiltIn("").Cleanup(t.Context(), builtInJob(s), testLog{t}); err != nil {
						t.Fatal(err)
					}
					test(t, s)
				})
			}
		})
	}
}

// builtInTrial takes the engine through everything a trial asks of it.
func builtInTrial(t *testing.T, s *testServer) {
	e, err := New("tare", "")
	if err != nil {
		t.Fatal(err)
	}
	j := builtInJob(s)
	if errs := e.Check(t.Context(), j); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	checkBuiltIn(t, measured(t, e, j))
	for _, rate := range []float64{50} {
		j.Rate = rate
		seen := measured(t, e, j)
		// Five standard deviations of a Poisson number around 100. How many of those
		// that fell due are answered in time is up to the machine.
		if n := due(t, seen); n < 50 || n > 150 {
			t.Errorf("%d transactions fell due in 2 s at %v/s", n, rate)
		}
		// So do those that fell due in the warm-up, if the machine stood still there: five standard
		// deviations of a Poisson number around 150.
		if n := seen.Window.Counts.Transactions; n == 0 || n > 211 {
			t.Errorf("%d transactions in 2 s at %v/s", n, rate)
		}
		if !slices.ContainsFunc(seen.Facts, func(f record.Fact) bool { return f.Key == "load.preempting_s" }) {
			t.Error("no fact load.preempting_s")
		}
	}
	if err := e.Cleanup(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	if outcome, _, err := e.Run(t.Context(), j, keep(&record.Trial{})); outcome != record.Failed || err == nil {
		t.Errorf("a run without tables: %v, %v", outcome, err)
	}
}

// measured is what a run shows in which the machine let a transaction end in the window.
func measured(t *testing.T, e Engine, j Job) (seen *record.Trial) {
	t.Helper()
	var last error
	mysqldtest.Attempts(t, 5, func() error {
		seen = &record.Trial{}
		last = starved(t)(e.Run(t.Context(), j, keep(seen)))
		return last
	})
	if last != nil {
		t.FailNow()
	}
	return seen
}

// starved returns an error where no transaction ended in the window, as on a machine that stood
// still. It ends the test at any other outcome that is not a measurement.
func starved(t *testing.T) func(record.Outcome, string, error) error {
	return func(outcome record.Outcome, reason string, err error) error {
		t.Helper()
		if outcome == record.Starved && err == nil {
			return fmt.Errorf("%v: %s", outcome, reason)
		}
		if outcome != record.Measured || err != nil {
			t.Fatal(outcome, reason, err)
		}
		return nil
	}
}

// due is the fact of how many operations fell due.
func due(t *testing.T, seen *record.Trial) int {
	t.Helper()
	for _, f := range seen.Facts {
		if f.Key == "load.arrivals_due" {
			n, err := strconv.Atoi(f.Value)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no fact of what fell due")
	return 0
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

func keep(to *record.Trial) func(record.Line) error {
	return func(l record.Line) error {
		switch {
		case l.Metric != nil:
			to.Metrics = append(to.Metrics, *l.Metric)
		case l.Interval != nil:
			to.Intervals = append(to.Intervals, *l.Interval)
		case l.Fact != nil:
			to.Facts = append(to.Facts, *l.Fact)
		case l.Event != nil:
			to.Events = append(to.Events, *l.Event)
		case l.Window != nil:
			to.Window = l.Window
		}
		return nil
	}
}

func checkBuiltIn(t *testing.T, seen *record.Trial) {
	t.Helper()
	if len(seen.Metrics) == 0 || len(seen.Intervals) != 3 || seen.Window == nil {
		t.Fatalf("%d metrics, %d intervals, window %v", len(seen.Metrics), len(seen.Intervals), seen.Window)
	}
	if !seen.Intervals[0].Warmup || seen.Intervals[1].Warmup || seen.Intervals[2].Warmup {
		t.Errorf("warm-up marks of %v", seen.Intervals)
	}
	w := seen.Window
	sum := seen.Intervals[1].Transactions + seen.Intervals[2].Transactions
	if w.Seconds != 2 || float64(w.Counts.Transactions) != sum || w.Counts.Transactions == 0 {
		t.Errorf("%d transactions in %v s, %v in the intervals", w.Counts.Transactions, w.Seconds, sum)
	}
	if w.Latency == nil || w.Latency.Histogram.Total() != w.Counts.Transactions || w.Latency.Min <= 0 || w.Latency.Percentiles["99"] < w.Latency.Percentiles["50"] {
		t.Errorf("latency %+v", w.Latency)
	}
	coarse := seen.Intervals[1].Coarse.Merge(seen.Intervals[2].Coarse)
	var counts [record.CoarseBuckets]int64
	for _, b := range w.Latency.Histogram.Counts {
		counts[record.CoarseBucket(b[0])] += b[1]
	}
	if diff := cmp.Diff(record.NewCoarse(counts[:]), coarse); diff != "" {
		t.Errorf("the coarse distributions of the seconds are not those of the window (-want +got):\n%s", diff)
	}
	// oltp_read_write ends with COMMIT; all of its statements are timed.
	s := w.Statements
	if len(s) == 0 || s[0].Name != "begin" || s[len(s)-1].Name != "commit" || s[len(s)-1].Latency.Histogram.Total() < w.Counts.Transactions || s[0].Latency.Mean > w.Latency.Mean {
		t.Errorf("statements %+v", s)
	}
	facts := map[string]bool{}
	for _, f := range seen.Facts {
		facts[f.Key] = true
	}
	for _, key := range []string{"load.cpu_user_s", "load.run_queue_s", "load.throttled_s", "load.busiest_loop"} {
		if !facts[key] {
			t.Errorf("no fact %s", key)
		}
	}
}

// builtInStarves: a server that answers nothing in the window is a result.
func builtInStarves(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Workload, j.Warmup, j.Measure = "oltp_point_select", 2*time.Second, time.Second
	e := BuiltIn("")
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	// A machine that stands still can stop the server too late, in the window.
	mysqldtest.Attempts(t, 5, func() error {
		var seen record.Trial
		outcome, reason, err := stoppedInWarmup(t, s, e, j, &seen)
		if outcome == record.Measured && seen.Window != nil && seen.Window.Counts.Transactions > 0 {
			return fmt.Errorf("%d transactions in the window of a server that was stopped before it", seen.Window.Counts.Transactions)
		}
		if outcome != record.Starved || err != nil || reason == "" {
			t.Errorf("%v %q %v, window %+v", outcome, reason, err, seen.Window)
		}
		return nil
	})
}

// stoppedInWarmup runs a job whose server is stopped when its first second has been
// shown, and continued after the end of the window.
func stoppedInWarmup(t *testing.T, s *testServer, e Engine, j Job, seen *record.Trial) (record.Outcome, string, error) {
	t.Helper()
	defer func() { _ = s.process.Signal(syscall.SIGCONT) }() // others need it
	keeps := keep(seen)
	var continued *time.Timer
	defer func() {
		if continued != nil {
			continued.Stop()
		}
	}()
	return e.Run(t.Context(), j, func(l record.Line) error {
		if l.Interval != nil && continued == nil {
			_ = s.process.Signal(syscall.SIGSTOP)
			continued = time.AfterFunc(j.Warmup+j.Measure-900*time.Millisecond, func() { _ = s.process.Signal(syscall.SIGCONT) })
		}
		return keeps(l)
	})
}

// builtInEndsWithItsContext: nothing goes on when nobody wants it any more.
func builtInEndsWithItsContext(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Measure = time.Hour // its context ends long before
	e := BuiltIn("")
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	outcome, _, err := e.Run(ctx, j, func(record.Line) error { return nil })
	if outcome != record.Failed || err == nil {
		t.Errorf("%v, %v", outcome, err)
	}
}

func TestBuiltInChecks(t *testing.T) {
	good := Job{Workload: "oltp_read_only", Threads: 1, Measure: time.Second}
	for name, change := range map[string]func(*Job){
		"workload": func(j *Job) { j.Workload = "nonsense" }, "script": func(j *Job) { j.Workload = "./x.lua" },
		"threads": func(j *Job) { j.Threads = 0 }, "measure": func(j *Job) { j.Measure = 0 }, "rate": func(j *Job) { j.Rate = -1 },
		"option": func(j *Job) { j.Options = map[string]string{"no-such": "1"} }, "value": func(j *Job) { j.Options = map[string]string{"range-size": "x"} },
		"tls": func(j *Job) { j.Server.TLS = "perhaps" }, "ca": func(j *Job) { j.Server.TLS, j.Server.CA = "verify-ca", "/no/such/file" },
		"tables": func(j *Job) { j.Workload, j.Tables = "select_random_points", 2 },
	} {
		j := good
		change(&j)
		if errs := BuiltIn("").Check(t.Context(), j); len(errs) == 0 {
			t.Errorf("%s: passes", name)
		}
	}
	if errs := BuiltIn("").Check(t.Context(), good); len(errs) > 0 {
		t.Error(errs)
	}
}

// noPasswordInTheRecord looks at every line an engine emits.
func noPasswordInTheRecord(t *testing.T, s *testServer) {
	j := builtInJob(s)
	j.Server.Password = "wrong" + testPassword
	var all []byte
	_, reason, err := BuiltIn("").Run(t.Context(), j, func(l record.Line) error {
		b, err := json.Marshal(l)
		all = append(all, b...)
		return err
	})
	if err == nil || strings.Contains(string(all)+reason+err.Error(), testPassword) {
		t.Errorf("%s: %v", reason, err)
	}
}
