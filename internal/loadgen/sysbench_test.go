package loadgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// smallJob is little data and a short window on a server.
func smallJob(t *testing.T, a mysqld.Address, name string) Job {
	t.Helper()
	return Job{
		Workload: name, Tables: 2, Rows: 1000, Threads: 2, PrepareThreads: 2, Seed: 7,
		Warmup: time.Second, Measure: 3 * time.Second,
		Server: a, Dir: filepath.Join(t.TempDir(), "private"),
		Env: []string{"TARE_INSTANCE=test-7"},
	}
}

// TestSysbenchMeasures prepares data, runs workloads and drops the data on every
// server of this machine. What sysbench prints does not depend on the server, so
// all four workloads are run on one of them.
func TestSysbenchMeasures(t *testing.T) {
	for i, k := range kinds(t) {
		names := []string{"oltp_read_write", "oltp_read_only", "oltp_point_select", "oltp_write_only"}
		if i > 0 {
			names = names[:1]
		}
		t.Run(k.name, func(t *testing.T) {
			server := startServer(t, k)
			engine := Sysbench("")
			var printed bytes.Buffer
			j := smallJob(t, server.bench(), "oltp_read_write")
			if errs := engine.Check(t.Context(), j); len(errs) > 0 {
				t.Fatal(errs)
			}
			if err := engine.Prepare(t.Context(), j, &printed); err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					j := smallJob(t, server.bench(), name)
					j.Options = map[string]string{"skip-trx": "off", "range_size": "50"}
					j.Log = &printed
					runAndCheck(t, engine, j)
				})
			}
			t.Run("no password, open loop", func(t *testing.T) {
				j := smallJob(t, server.root(), "oltp_point_select")
				j.Warmup, j.Measure, j.Rate = 0, 2*time.Second, 100
				mysqldtest.Attempts(t, 4, func() error {
					var tps float64
					outcome, reason, err := engine.Run(t.Context(), j, func(l record.Line) error {
						if l.Window != nil {
							tps = l.Window.Throughput()
						}
						return nil
					})
					if outcome != record.Measured || tps <= 0 || tps > 150 {
						return fmt.Errorf("%v, %q, %s, %v tps; expected 100 at most, give or take the chance of arrivals", outcome, reason, fmt.Sprint(err), tps)
					}
					return nil
				})
			})
			if i == 0 {
				t.Run(readWritePct, func(t *testing.T) { testReadWritePct(t, engine, smallJob(t, server.bench(), readWritePct)) })
			}
			if err := engine.Cleanup(t.Context(), j, &printed); err != nil {
				t.Fatal(err)
			}
			outcome, reason, err := engine.Run(t.Context(), j, func(record.Line) error { return nil })
			if outcome != record.Failed || err == nil || !strings.Contains(reason, "1146") {
				t.Errorf("without tables: %v, %q, %v; want failed because of error 1146", outcome, reason, err)
			}
			if strings.Contains(printed.String(), testPassword) {
				t.Error("the password is in what sysbench printed")
			}
			for _, want := range []string{"Creating table 'sbtest2'", "SQL statistics:", "Dropping table 'sbtest1'"} {
				if !strings.Contains(printed.String(), want) {
					t.Errorf("%q is missing in the log", want)
				}
			}
		})
	}
}

// testReadWritePct: a fifth of the statements read where that is asked for, and the
// script is not left behind.
func testReadWritePct(t *testing.T, engine Engine, j Job) {
	j.Warmup, j.Measure = 0, 2*time.Second
	j.Options = map[string]string{"read-percent": "20", "skip-trx": "on"}
	if errs := engine.Check(t.Context(), j); len(errs) > 0 {
		t.Fatal(errs)
	}
	mysqldtest.Attempts(t, 4, func() error {
		var reads, writes float64
		outcome, reason, err := engine.Run(t.Context(), j, func(l record.Line) error {
			if l.Interval != nil {
				reads, writes = reads+l.Interval.Reads, writes+l.Interval.Writes
			}
			return nil
		})
		// Ten standard errors of a share of 100 statements, which any machine does.
		if share := reads / (reads + writes); outcome != record.Measured || reads+writes < 50 || share < 0.05 || share > 0.6 {
			return fmt.Errorf("%v, %q, %s: %v reads, %v writes a second", outcome, reason, fmt.Sprint(err), reads, writes)
		}
		return nil
	})
	if left, err := filepath.Glob(filepath.Join(j.Dir, "sysbench-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// runAndCheck runs a job and checks everything it emits. It runs it again where only
// the series differs from that of an undisturbed run: sysbench leaves out the seconds
// that it slept through.
func runAndCheck(t *testing.T, engine Engine, j Job) {
	t.Helper()
	mysqldtest.Attempts(t, 4, func() error { return runOnce(t, engine, j) })
}

// runOnce returns what a machine that stands still for a second can change.
func runOnce(t *testing.T, engine Engine, j Job) error {
	t.Helper()
	var lines []record.Line
	inspected := false
	outcome, reason, err := engine.Run(t.Context(), j, func(l record.Line) error {
		if l.Interval != nil && !inspected {
			inspected = inspectProcess(t)
		}
		lines = append(lines, l)
		return nil
	})
	if left, err := os.ReadDir(j.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// Where a stop covers the whole window, there are no statistics of it.
	if outcome != record.Measured && !slices.ContainsFunc(lines, func(l record.Line) bool { return l.Interval != nil }) {
		return fmt.Errorf("no interval, and %v, %q, %s", outcome, reason, fmt.Sprint(err))
	}
	if outcome != record.Measured || reason != "" || err != nil {
		t.Fatalf("%v, %q, %v", outcome, reason, err)
	}
	if !inspected {
		return errors.New("no interval came while sysbench ran")
	}
	return checkLines(t, j, lines)
}

// checkLines returns what is wrong with the number of the intervals and their length.
func checkLines(t *testing.T, j Job, lines []record.Line) error {
	t.Helper()
	b, err := json.Marshal(lines)
	if err != nil || strings.Contains(string(b), "pa ss#w") {
		t.Errorf("the password is in the record, or it cannot be written: %v", err)
	}
	w := lines[len(lines)-1].Window
	if lines[0].Metric == nil || w == nil {
		t.Fatalf("lines begin with %+v and end with %+v", lines[0], lines[len(lines)-1])
	}
	var warmup, measured series
	version := ""
	for _, l := range lines {
		switch {
		case l.Interval != nil && l.Interval.Warmup:
			warmup.add(*l.Interval)
		case l.Interval != nil:
			measured.add(*l.Interval)
		case l.Fact != nil:
			version = l.Fact.Value
		case l.Event != nil && l.Event.Name == "unreadable": // sysbench divides by zero where no transaction ended after the reset
			return fmt.Errorf("%+v", l.Event)
		case l.Event != nil:
			t.Errorf("unexpected event %+v", l.Event)
		}
	}
	if !strings.HasPrefix(version, "sysbench 1.") {
		t.Errorf("engine.version is %q", version)
	}
	if warmup.intervals != 1 || measured.intervals < 2 {
		return fmt.Errorf("%d warm-up and %d measured intervals", warmup.intervals, measured.intervals)
	}
	if w.Partial {
		t.Errorf("window of %v s is partial", w.Seconds)
	}
	checkTotals(t, w)
	if math.Abs(w.Seconds-j.Measure.Seconds()) > 0.5 {
		return fmt.Errorf("window of %v s; expected %v", w.Seconds, j.Measure)
	}
	return checkSums(w, &measured)
}

// checkSums: the window's totals are those of its seconds, give or take the last
// one, whose line is often missing. A second too many or too few is a third of the window. A
// few percent are not: the thread that prints a second and the one that resets the counters at
// the end of the warm-up are woken apart by as much as the machine takes.
func checkSums(w *record.Window, measured *series) error {
	perSecond := measured.transactions / float64(w.Counts.Transactions)
	if covered := measured.seconds / w.Seconds; perSecond > 1.2 || covered > 0.95 && perSecond < 0.8 {
		return fmt.Errorf("intervals hold %.1f %% of the transactions in %.1f %% of the time", 100*perSecond, 100*covered)
	}
	return nil
}

// checkTotals looks at the window's totals and at its histogram.
func checkTotals(t *testing.T, w *record.Window) {
	t.Helper()
	n := float64(w.Counts.Transactions)
	h := w.Latency.Histogram.Total()
	if h > w.Counts.Transactions || float64(h) < 0.9*n { // of what ends between the two resets it holds nothing
		t.Errorf("histogram holds %d of %.0f transactions", h, n)
	}
	// Sysbench adds up the statements before the transactions while its threads go on
	// (sb_counters_merge in sb_counter.c): a script with one statement has a few fewer.
	if c := w.Counts; float64(c.Reads+c.Writes+c.Other) < 0.9*n {
		t.Errorf("fewer statements than transactions: %+v", c)
	}
	if l := w.Latency; !(l.Min > 0 && l.Min <= l.Mean && l.Mean <= l.Max) || l.Percentiles["95"] <= 0 {
		t.Errorf("latency %+v", l)
	}
}

// inspectProcess looks at the sysbench that this test runs as any user of the
// machine can. It is false where that ended meanwhile.
func inspectProcess(t *testing.T) bool {
	t.Helper()
	pids := children(t)
	for _, pid := range pids {
		commandLine, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		group, err := syscall.Getpgid(pid)
		if !slices.Contains(children(t), pid) {
			return false
		}
		for what, text := range map[string][]byte{"command line": commandLine, "environment": environment} {
			if bytes.Contains(text, []byte("pa ss#w")) || bytes.Contains(text, []byte("bench@")) {
				t.Errorf("the password is on sysbench's %s", what)
			}
		}
		if !bytes.Contains(environment, []byte("TARE_INSTANCE=test-7\x00")) {
			t.Error("TARE_INSTANCE is not in the environment")
		}
		if err != nil || group != pid {
			t.Errorf("process group %d of process %d, %v", group, pid, err)
		}
		inspectConfig(t, commandLine)
	}
	return len(pids) > 0
}

// inspectConfig: the file that does hold the password is ours alone.
func inspectConfig(t *testing.T, commandLine []byte) {
	t.Helper()
	for _, arg := range strings.Split(string(commandLine), "\x00") {
		path, ok := strings.CutPrefix(arg, "--config-file=")
		if !ok {
			continue
		}
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v; want mode %v", name, info.Mode(), err, want)
			}
		}
		return
	}
	t.Errorf("no --config-file in %q", commandLine)
}

// children are the running sysbench processes that this process started.
func children(t *testing.T) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		// pid (comm) state ppid, proc(5)
		if _, after, ok := strings.Cut(string(stat), "(sysbench) "); ok {
			if f := strings.Fields(after); len(f) > 1 && f[0] != "Z" && f[1] == strconv.Itoa(os.Getpid()) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
