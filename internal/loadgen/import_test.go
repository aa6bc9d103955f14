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

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// importFile imports a fixture.
func importFile(t *testing.T, path string) (Imported, error) {
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
			log, err := importFile(t, path)
			fmt.Fprintf(&got, "threads %d, error %v\n", log.Threads, err)
			for _, l := range log.Lines {
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
		log, err := importFile(t, "testdata/sysbench-2019/"+name+".log")
		if err != nil {
			t.Fatal(err)
		}
		w, threads := windowOf(log.Lines), log.Threads
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
		{"a second run after one that failed", head + "FATAL: error 2002: Can't connect\n" + head + second + head + later, ErrSeveralRuns, 13},
		{"decimal commas", head + strings.Replace(second, "10.00", "10,00", 1), ErrDecimalComma, 5},
		{"fileio", head + "Extra file open flags: (none)\n" + totalsText, ErrOtherTest, 5},
		{"cpu", head + "Prime numbers limit: 10000\n" + totalsText, ErrOtherTest, 5},
		{"cpu behind a prefix", "build\t7 CPU speed:\n" + totalsText, ErrOtherTest, 1},
		{"memory", head + "Running memory speed test with the following options:\n", ErrOtherTest, 5},
		{"threads", "Doing thread subsystem performance test\n" + totalsText, ErrOtherTest, 1},
		{"mutex", "Doing mutex performance test\n" + totalsText, ErrOtherTest, 1},
		{"MongoDB", head + "setting write concern to 1\n" + second, ErrMongoDB, 5},
		{"statements alone, cut off", head + "[  10s] threads: 2, tps: 0.00, reads/s: 0.00, writes/s: 500.00, response time: 2.51ms (95%)\n", ErrNoEvents, 5},
		{"gave up", head + "FATAL: error 2002: Can't connect\n", ErrNoResult, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, err := Import("x.log", strings.NewReader(c.log))
			var at *LogError
			if !errors.Is(err, c.want) || !errors.As(err, &at) || len(read.Lines) > 0 {
				t.Fatalf("got %v, %d lines; want %v", err, len(read.Lines), c.want)
			}
			if at.Name != "x.log" || at.Line != c.line || !strings.HasPrefix(err.Error(), "x.log:") {
				t.Errorf("got %v in line %d, want line %d", err, at.Line, c.line)
			}
		})
	}
}

// TestImportWhateverStandsAround: what a log collector, a CI server or a terminal writes before,
// behind and into the lines changes nothing that is read.
func TestImportWhateverStandsAround(t *testing.T) {
	const text = "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with following options:\nNumber of threads: 2\n" +
		"Report intermediate results every 2 second(s)\n\nThreads started!\n\n" +
		"[ 2s ] thds: 2 tps: 3.50 qps: 56.00 (r/w/o: 49.00/0.00/7.00) lat (ms,95%): 0.64 err/s: 1.50 reconn/s: 0.00\n" +
		"[ 4s ] thds: 2 tps: 1.50 qps: 24.00 (r/w/o: 21.00/0.00/3.00) lat (ms,95%): 0.64 err/s: 0.00 reconn/s: 0.00\n" + totalsText
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	each := func(f func(n int, line string) string) string {
		var b strings.Builder
		for n, line := range lines {
			b.WriteString(f(n, line) + "\n")
		}
		return b.String()
	}
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want, err := Import("plain.log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if w := windowOf(want.Lines); w.Partial || w.Counts.Transactions != 10 || len(want.Lines) != len(metrics())+3 {
		t.Fatalf("the log itself is read as %+v, %d lines", w, len(want.Lines))
	}
	for name, log := range map[string]string{
		"stern":                   each(func(_ int, line string) string { return "bench-0-x7k2p sysbench " + line }),
		"stern with another name": each(func(_ int, line string) string { return "+ db/bench-7 › main " + line }),
		"elapsed time of a CI":    each(func(n int, line string) string { return fmt.Sprintf("%d:%02d.%d | %s", n/60, n%60, n%10, line) }),
		"time of day and a level": each(func(_ int, line string) string { return "10:11:12.345 INFO  [runner] - " + line }),
		"tabs":                    each(func(_ int, line string) string { return "bench\tRun load\t2026-01-02T03:04:05.6789012Z " + line }),
		"Ansible's stdout_lines":  each(func(_ int, line string) string { return "            " + quoted(line) + "," }),
		"Ansible's stdout":        `    "stdout": ` + quoted(text) + ",\n",
		"docker's json-file": each(func(_ int, line string) string {
			return `{"log":` + quoted(line+"\n") + `,"stream":"stdout","time":"2026-01-02T03:04:05.6Z"}`
		}),
		"grep --color":              strings.NewReplacer("tps", "\x1b[01;31m\x1b[Ktps\x1b[m\x1b[K", "total", "\x1b[01;31m\x1b[Ktotal\x1b[m\x1b[K").Replace(text),
		"a line's number":           each(func(n int, line string) string { return fmt.Sprintf("%6d\t%s", n+1, line) }),
		"quoted in a mail":          each(func(_ int, line string) string { return "> " + line }),
		"a colour around each line": each(func(_ int, line string) string { return "\x1b[32m" + line + "\x1b[0m" }),
		"a table of Markdown":       each(func(_ int, line string) string { return "| " + line + " |" }),
		"a byte order mark":         "\xef\xbb\xbf" + text,
		"blanks of a web page":      strings.ReplaceAll(text, "  ", "\u00a0 "),
		"HTML":                      "<pre>" + strings.ReplaceAll(text, "\n", "<br>\n") + "</pre>",
		"XML":                       each(func(n int, line string) string { return fmt.Sprintf("<line n=\"%d\">%s</line>", n, line) }),
		"Loki": each(func(_ int, line string) string {
			return `{"labels":{"pod":"b"},"line":` + quoted(line) + `,"timestamp":"2026-01-02T03:04:05Z"}`
		}),
		"journalctl -o json": each(func(_ int, line string) string {
			return `{"__REALTIME_TIMESTAMP":"1772618400000000","MESSAGE":` + quoted(line) + `,"_PID":"7"}`
		}),
		"logfmt":           each(func(_ int, line string) string { return `time="2026-01-02T03:04:05Z" level=info msg=` + quoted(line) }),
		"klog":             each(func(_ int, line string) string { return "I0304 10:00:00.123456       1 runner.go:88] " + line }),
		"carriage returns": strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Import("x.log", strings.NewReader(log))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-plain +got:\n%s", diff)
			}
		})
	}
}

// TestImportStructured: intervals as CSV and JSON are those of the lines, and their latency is the
// percentile that the final statistics name, or unknown.
func TestImportStructured(t *testing.T) {
	const head = "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with following options:\nNumber of threads: 8\nReport intermediate results every 1 second(s)\n"
	const csv = "1,8,100.50,2010.00,1407.00,402.00,201.00,9.22,0.50,0.00\n2,8,99.50,1990.00,1393.00,398.00,199.00,9.39,0.00,0.00\n"
	field := func(time int, tps, total, reads, writes, other, latency, errors string) string {
		return fmt.Sprintf("  {\n    \"time\": %4d,\n    \"threads\": 8,\n    \"tps\": %s,\n    \"qps\": {\n      \"total\": %s,\n      \"reads\": %s,\n      \"writes\": %s,\n      \"other\": %s\n    },\n    \"latency\": %s,\n    \"errors\": %s,\n    \"reconnects\": 0.00\n  }", time, tps, total, reads, writes, other, latency, errors)
	}
	json := "[\n" + field(1, "100.50", "2010.00", "1407.00", "402.00", "201.00", "9.22", "0.50") + ",\n" + field(2, "99.50", "1990.00", "1393.00", "398.00", "199.00", "9.39", "0.00")
	intervals := func(p, first, second float64) []record.Interval {
		return []record.Interval{
			{End: 1, Length: 1, Threads: 8, Transactions: 100.5, Queries: 2010, Reads: 1407, Writes: 402, Other: 201, Percentile: p, Latency: first, Errors: 0.5},
			{End: 2, Length: 1, Threads: 8, Transactions: 99.5, Queries: 1990, Reads: 1393, Writes: 398, Other: 199, Percentile: p, Latency: second},
		}
	}
	for _, c := range []struct {
		name, log string
		want      []record.Interval
		partial   bool
		rate      float64
	}{
		{"CSV, cut off", head + csv, intervals(0, 0, 0), true, 100},
		{"CSV with totals", head + csv + totalsText, intervals(95, 9.22, 9.39), false, 2.5},
		{"JSON, cut off", head + json, intervals(0, 0, 0), true, 100},
		{"JSON with totals", head + json + "\n]\n" + totalsText, intervals(95, 9.22, 9.39), false, 2.5},
		{"the last figure is cut in two", head + csv + "3,8,100.00,2000.00,1400.00,400.00,200.00,9.2", intervals(0, 0, 0), true, 100},
		{"another table with ten columns", head + csv + "1,2,3.00,4.00,5.00,6.00,7.00,8.00,9.00,10.00\n", intervals(0, 0, 0), true, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, err := Import("x.log", strings.NewReader(c.log))
			if err != nil {
				t.Fatal(err)
			}
			var got []record.Interval
			for _, l := range read.Lines {
				if l.Interval != nil {
					got = append(got, *l.Interval)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if w := windowOf(read.Lines); w.Partial != c.partial || math.Abs(w.Throughput()-c.rate) > 1e-9 {
				t.Errorf("window %+v, want %v/s, partial %v", w, c.rate, c.partial)
			}
		})
	}
}

// TestImportFailedStarts: a start that printed no figure, before the run or after it, is no run.
func TestImportFailedStarts(t *testing.T) {
	const head = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\n"
	failed := head + "Number of threads: 64\nFATAL: Worker threads failed to initialize within 30 seconds!\n"
	for name, log := range map[string]string{
		"before": failed + failed + head + "Number of threads: 2\n" + totalsText,
		"after":  head + "Number of threads: 2\n" + totalsText + failed,
	} {
		t.Run(name, func(t *testing.T) {
			read, err := Import("x.log", strings.NewReader(log))
			if err != nil {
				t.Fatal(err)
			}
			if w := windowOf(read.Lines); w.Counts.Transactions != 10 || w.Seconds != 4 || read.Threads != 2 {
				t.Errorf("window %+v, %d threads; want 10 transactions in 4 s, 2 threads", w, read.Threads)
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
	_, err := Import("huge.log", io.LimitReader(in, 1<<30))
	if !errors.Is(err, ErrLongLine) || in.read > 2*maxLogLine {
		t.Errorf("got %v after reading %d bytes", err, in.read)
	}
	if want := "huge.log:1: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %q, want it to begin with %q", err, want)
	}
}

// TestImportEventsAlone: insert.lua of 0.5 sends statements outside of transactions and counts 0 of those. Its events
// are the figure, and its intervals are those of the events.
func TestImportEventsAlone(t *testing.T) {
	const log = "sysbench 0.5:  multi-threaded system evaluation benchmark\n\nRunning the test with following options:\nNumber of threads: 8\nReport intermediate results every 10 second(s)\n\nThreads started!\n\n" +
		"[  10s] threads: 8, tps: 0.00, reads/s: 0.00, writes/s: 10000.00, response time: 2.51ms (95%)\n[  20s] threads: 8, tps: 0.00, reads/s: 0.00, writes/s: 10200.00, response time: 2.51ms (95%)\n" +
		"OLTP test statistics:\n    queries performed:\n        read:                            0\n        write:                           202000\n        other:                           0\n        total:                           202000\n" +
		"    transactions:                        0      (0.00 per sec.)\n    deadlocks:                           0      (0.00 per sec.)\n    read/write requests:                 202000 (10100.00 per sec.)\n    other operations:                    0      (0.00 per sec.)\n\n" +
		"General statistics:\n    total time:                          20.0000s\n    total number of events:              101000\n    total time taken by event execution: 159.9s\n"
	read, err := Import("x.log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if w := windowOf(read.Lines); read.SQL || w.Throughput() != 5050 || w.Counts.Writes != 202_000 {
		t.Errorf("SQL %v, %+v", read.SQL, w)
	}
	var rates []float64
	for _, l := range read.Lines {
		if l.Interval != nil {
			rates = append(rates, l.Interval.Transactions)
		}
	}
	if d := cmp.Diff([]float64{5000, 5100}, rates); d != "" {
		t.Error(d)
	}
}

// TestImportHistogramInPart: a histogram of which a line cannot be read, or is missing, has other percentiles than the
// run. It is left out, and the printed percentile stays.
func TestImportHistogramInPart(t *testing.T) {
	rows := []string{"       0.490 |********** 4", "       0.508 |****************************************  5", "       0.642 |**  1"}
	for name, c := range map[string]struct {
		rows []string
		kept bool
		bad  int
	}{
		"whole":          {rows, true, 0},
		"a row of none":  {append([]string{"       0.480 |* 1"}, rows...), false, 1},
		"a row is gone":  {rows[:2], true, 0},
		"rows are gone":  {rows[1:2], false, 1},
		"cut in the row": {[]string{rows[0], rows[1], "       0.642 |**  1 x"}, true, 0},
	} {
		read, err := Import("x.log", strings.NewReader("Latency histogram (values are in milliseconds)\n       value  ------------- distribution ------------- count\n"+strings.Join(c.rows, "\n")+"\n \n"+totalsText))
		if err != nil {
			t.Fatal(err)
		}
		unread := 0
		for _, l := range read.Lines {
			if l.Event != nil && l.Event.Name == "unreadable" {
				unread++
			}
		}
		if w := windowOf(read.Lines); (w.Latency.Histogram != nil) != c.kept || unread < c.bad || (unread > 0) != (c.bad > 0) || len(w.Latency.Percentiles) != 1 {
			t.Errorf("%s: histogram %v, %d unreadable, %v", name, w.Latency.Histogram, unread, w.Latency.Percentiles)
		}
	}
}

// TestImportOfTareLoad: the text of tare load, without the lines of its intervals, says how many threads it had.
func TestImportOfTareLoad(t *testing.T) {
	h := latency.New()
	h.Record(2_000_000)
	all := summary.Latency{Histogram: h.Export(), SumNS: 2e6}
	r := summary.Summary{Threads: 8, Seconds: 10, Counts: record.Counts{Transactions: 1, Reads: 1}, Latency: all}
	var text strings.Builder
	r.Text(&text, 95)
	log, err := Import("load.log", strings.NewReader(text.String()))
	if err != nil || log.Threads != 8 {
		t.Errorf("%d threads, %v, of\n%s", log.Threads, err, text.String())
	}
}
