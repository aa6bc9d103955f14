package loadgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// importFile imports a fixture.
func importFile(t *testing.T, path string) ([]record.Line, int, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Import(path, f)
}

func windowOf(lines []record.Line) *record.Window {
	for _, l := range lines {
		if l.Window != nil {
			return l.Window
		}
	}
	return nil
}

func logs(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures %s: %v", pattern, err)
	}
	return paths
}

// TestImportGolden compares everything that is read from every fixture. The logs
// are what sysbench printed; testdata/README.md says how each was made.
func TestImportGolden(t *testing.T) {
	for _, path := range logs(t, "testdata/*/*.log") {
		t.Run(strings.TrimPrefix(path, "testdata/"), func(t *testing.T) {
			var got bytes.Buffer
			lines, threads, err := importFile(t, path)
			fmt.Fprintf(&got, "threads %d, error %v\n", threads, err)
			for _, l := range lines {
				if l.Metric != nil {
					continue
				}
				b, err := json.Marshal(l)
				if err != nil {
					t.Fatal(err)
				}
				got.Write(append(b, '\n'))
			}
			golden := strings.TrimSuffix(path, ".log") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestImportFirstStudy: the logs of the study that began it all hold a piece of
// the series and no totals.
func TestImportFirstStudy(t *testing.T) {
	for name, want := range map[string]float64{
		"bare-metal": (22154.20 + 22247.80 + 21984.01) / 3,
		"besteffort": 12266.000833,
		"guaranteed": 19389.777,
	} {
		lines, threads, err := importFile(t, "testdata/sysbench-2019/"+name+".log")
		if err != nil {
			t.Fatal(err)
		}
		w := windowOf(lines)
		if got := w.Throughput(); math.Abs(got-want) > 0.001 || !w.Partial || threads != 56 {
			t.Errorf("%s: throughput %v, partial %v, threads %d; want %v, true, 56", name, got, w.Partial, threads, want)
		}
	}
}

// TestTotalsAgree checks what sysbench printed against itself: the histogram
// holds the transactions, the classes sum up, and the printed percentile is
// that of the histogram, to a bucket.
func TestTotalsAgree(t *testing.T) {
	for _, path := range logs(t, "testdata/sysbench-1.0.20/*_*.log") {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var measured series
		warmup := 2.0
		log, err := parseSysbench(path, f, sink{
			interval: func(i record.Interval) error {
				if i.End > warmup {
					measured.add(i)
				}
				return nil
			},
			event: func(e record.Event) error { return fmt.Errorf("unexpected event %+v", e) },
		})
		if err != nil {
			t.Fatal(err)
		}
		checkWindow(t, path, log, log.window(len(log.checkpoints) > 0, &measured), &measured)
	}
}

func checkWindow(t *testing.T, path string, log *sysbenchLog, w *record.Window, measured *series) {
	t.Helper()
	if w == nil || w.Partial || w.Latency == nil || w.Latency.Histogram == nil {
		t.Errorf("%s: the window is incomplete: %+v", path, w)
		return
	}
	if c := w.Counts; log.final.queries != c.Reads+c.Writes+c.Other {
		t.Errorf("%s: %d queries, but %+v", path, log.final.queries, c)
	}
	h := w.Latency.Histogram
	// The counters are reset a moment before the histogram, and what ends in
	// between is missing from it: up to 0.02 % here.
	if n := w.Counts.Transactions; h.Total() > n || float64(h.Total()) < 0.999*float64(n) {
		t.Errorf("%s: histogram holds %d of %d transactions", path, h.Total(), w.Counts.Transactions)
	}
	p95, _ := h.Percentile(95)
	if printed := w.Latency.Percentiles["95"]; math.Abs(float64(p95)/1e6-printed) > 0.02*printed+0.005 {
		t.Errorf("%s: 95th percentile %v ns, sysbench says %v ms", path, p95, printed)
	}
	mean := 0.0
	for _, c := range h.Counts {
		mean += float64(c[0]) * float64(c[1]) / float64(h.Total()) / 1e6
	}
	if math.Abs(mean-w.Latency.Mean) > 0.02*w.Latency.Mean+0.005 {
		t.Errorf("%s: mean of the histogram %v ms, sysbench says %v", path, mean, w.Latency.Mean)
	}
	// The last second's line is often missing: sysbench silences the reports
	// when the load ends (run_test in sysbench.c).
	n := float64(w.Counts.Transactions)
	if measured.transactions > 1.02*n || measured.seconds > w.Seconds-0.5 && measured.transactions < 0.98*n {
		t.Errorf("%s: seconds hold %v transactions in %v s, totals %v in %v s", path, measured.transactions, measured.seconds, n, w.Seconds)
	}
}

// TestImportErrors: each names the file and the line, and is of a type that a
// caller can ask for.
func TestImportErrors(t *testing.T) {
	const second = "[ 1s ] thds: 2 tps: 10.00 qps: 160.00 (r/w/o: 140.00/0.00/20.00) lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 0.00\n"
	later := strings.Replace(second, "[ 1s", "[ 2s", 1)
	const head = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 2\n"
	for _, c := range []struct {
		name, log string
		want      error
		line      int
	}{
		{"empty", "", ErrEmptyLog, 0},
		{"another program", "Setting up mariadb ...\nFATAL: terminating\n{\"tps\": 4}\n", ErrNotSysbench, 1},
		{"blank lines", "\n\n\n", ErrNotSysbench, 1},
		{"long line", second + strings.Repeat("x", maxLogLine+1) + "\n", ErrLongLine, 2},
		{"clock goes back", later + second, ErrSeveralRuns, 2},
		{"two heads", head + second + head + later, ErrSeveralRuns, 8},
		{"two totals", totalsText + totalsText, ErrSeveralRuns, 26},
		{"two at once", strings.Repeat(second, 4), ErrSeveralRuns, 4},
		{"head only", head, ErrNoResult, 4},
		{"gave up", head + "FATAL: error 2002: Can't connect\n", ErrNoResult, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, _, err := Import("x.log", strings.NewReader(c.log))
			var at *LogError
			if !errors.Is(err, c.want) || !errors.As(err, &at) || len(lines) > 0 {
				t.Fatalf("got %v, %d lines; want %v", err, len(lines), c.want)
			}
			if at.Name != "x.log" || at.Line != c.line || !strings.HasPrefix(err.Error(), "x.log:") {
				t.Errorf("got %v in line %d, want line %d", err, at.Line, c.line)
			}
		})
	}
}

// endless is one line without an end: a gigabyte, or more, of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}

func TestImportStopsReadingALongLine(t *testing.T) {
	in := &endless{}
	_, _, err := Import("huge.log", io.LimitReader(in, 1<<30))
	if !errors.Is(err, ErrLongLine) || in.read > 2*maxLogLine {
		t.Errorf("got %v after reading %d bytes", err, in.read)
	}
	if want := "huge.log:1: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q, want it to begin with %q", err, want)
	}
}
