package loadgen

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// totalsText is what 1.0 prints at the end of a run of 4 s.
const totalsText = `SQL statistics:
    queries performed:
        read:                            140
        write:                           0
        other:                           20
        total:                           160
    transactions:                        10     (2.50 per sec.)
    queries:                             160    (40.00 per sec.)
    ignored errors:                      3      (0.75 per sec.)
    reconnects:                          1      (0.25 per sec.)

General statistics:
    total time:                          4.0000s
    total number of events:              10

Latency (ms):
         min:                                    0.49
         avg:                                    0.52
         max:                                    2.44
         95th percentile:                        0.64
         sum:                                    5.20

Threads fairness:
    events (avg/stddev):           5.0000/0.00
    execution time (avg/stddev):   1.9969/0.00
`

// gathered is everything that a log said.
type gathered struct {
	log       *sysbenchLog
	intervals []record.Interval
	events    []record.Event
	sum       series
}

func gather(text string) (*gathered, error) {
	g := &gathered{}
	log, err := parseSysbench("t.log", strings.NewReader(text), sink{
		interval: func(i record.Interval) error { g.intervals = append(g.intervals, i); g.sum.add(i); return nil },
		event:    func(e record.Event) error { g.events = append(g.events, e); return nil },
	})
	g.log = log
	return g, err
}

func mustGather(t *testing.T, text string) *gathered {
	t.Helper()
	g, err := gather(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestIntervalLines: one line of each version and each disguise.
func TestIntervalLines(t *testing.T) {
	base := record.Interval{
		End: 607, Length: 1, Threads: 56, Transactions: 22154.2, Queries: 354451.12, Reads: 310143.73, Other: 44307.39,
		Percentile: 95, Latency: 2.61, Errors: 1.5, Reconnects: 0,
	}
	with := func(change func(*record.Interval)) record.Interval {
		i := base
		change(&i)
		return i
	}
	const line = "[ 607s ] thds: 56 tps: 22154.20 qps: 354451.12 (r/w/o: 310143.73/0.00/44307.39) lat (ms,95%): 2.61 err/s: 1.50 reconn/s: 0.00"
	for name, c := range map[string]struct {
		line string
		want record.Interval
	}{
		"1.0":                {line + "\n", base},
		"no newline":         {line, base},
		"CRLF":               {line + "\r\n", base},
		"99th percentile":    {strings.Replace(line, "95%", "99%", 1) + "\n", with(func(i *record.Interval) { i.Percentile = 99 })},
		"percentile off":     {strings.Replace(line, "95%", "0%", 1) + "\n", with(func(i *record.Interval) { i.Percentile, i.Latency = 0, 0 })},
		"report_default":     {strings.Replace(line, "err/s:", "err/s", 1) + "\n", base},
		"without its tail":   {strings.Split(line, " err/s")[0] + "\n", with(func(i *record.Interval) { i.Errors = 0 })},
		"kubectl timestamps": {"2026-01-02T03:04:05.678901234Z " + line + "\n", base},
		"kubectl prefix":     {"[pod/sysbench-x7/sysbench] " + line + "\n", base},
		"CRI log":            {"2026-01-02T03:04:05.678901234+02:00 stdout F " + line + "\n", base},
		"docker compose":     {"\x1b[36msysbench-1  | \x1b[0m" + line + "\n", base},
		"journald":           {"Jan  2 03:04:05 host sysbench[123]: " + line + "\n", base},
		"after a prompt":     {"$ Threads started! " + line + "\n", base},
		"reads as written": {"[   2s] threads: 8, tps: 10.50, reads: 147.00, writes: 42.00, response time: 3.20ms (95%), errors: 0.50, reconnects:  0.25\n",
			record.Interval{End: 2, Length: 1, Threads: 8, Transactions: 10.5, Queries: 189, Reads: 147, Writes: 42, Latency: 3.2, Percentile: 95, Errors: 0.5, Reconnects: 0.25}},
		"0.5 per second": {"[  10s] threads: 8, tps: 10.50, reads/s: 147.00, writes/s: 42.00, response time: 3.20ms (99%)\n",
			record.Interval{End: 10, Length: 1, Threads: 8, Transactions: 10.5, Queries: 189, Reads: 147, Writes: 42, Latency: 3.2, Percentile: 99}},
		"no SQL": {"[ 1s ] thds: 2 eps: 8965.60 lat (ms,95%): 0.23\n",
			record.Interval{End: 1, Length: 1, Threads: 2, Transactions: 8965.6, Percentile: 95, Latency: 0.23}},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustGather(t, c.line)
			if diff := cmp.Diff([]record.Interval{c.want}, g.intervals); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCutOff cuts a line at every byte: whatever is left must never be read as
// another figure.
func TestCutOff(t *testing.T) {
	const first = "[ 1s ] thds: 2 tps: 10.00 qps: 160.00 (r/w/o: 140.00/0.00/20.00) lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 0.00\n"
	const second = "[ 2s ] thds: 2 tps: 12.34 qps: 160.00 (r/w/o: 140.00/0.00/20.00) lat (ms,95%): 1.23 err/s: 4.56 reconn/s: 7.89"
	for cut := range len(second) {
		g := mustGather(t, first+second[:cut])
		if len(g.intervals) > 1 && g.intervals[1].Transactions != 12.34 {
			t.Errorf("%q gives %+v", second[:cut], g.intervals[1])
		}
		for _, i := range g.intervals[1:] {
			if i.Errors != 0 && i.Errors != 4.56 || i.Reconnects != 0 || i.Latency != 1.23 {
				t.Errorf("%q gives %+v", second[:cut], i)
			}
		}
	}
	for cut := range len(totalsText) {
		g := mustGather(t, first+totalsText[:cut])
		if f := g.log.final; f != nil && (f.counts.Transactions != 10 || f.elapsed != 4) {
			t.Errorf("%q gives %+v", totalsText[:cut], f)
		}
	}
}

// TestLengths: the length of an interval is what the lines around it say.
func TestLengths(t *testing.T) {
	line := func(end int) string {
		return fmt.Sprintf("[ %ds ] thds: 2 tps: 10.00 qps: 160.00 (r/w/o: 140.00/0.00/20.00) lat (ms,95%%): 1.00 err/s: 0.00 reconn/s: 0.00\n", end)
	}
	const head = "Running the test with following options:\nReport intermediate results every 10 second(s)\n"
	queue := "[ 607s ] queue length: 7, concurrency: 2\n"
	for name, c := range map[string]struct {
		log  string
		want []float64
	}{
		"head":                    {head + line(10) + line(20), []float64{10, 10}},
		"head, one line":          {head + line(10), []float64{10}},
		"no head":                 {line(605) + line(610) + line(615), []float64{5, 5, 5}},
		"no head, one line":       {line(605), []float64{1}},
		"open loop, no head":      {line(607) + queue + line(609), []float64{2, 2}},
		"a late line":             {line(1) + line(3) + line(4), []float64{2, 2, 1}},
		"two in one second":       {line(1) + line(2) + line(3) + line(3) + line(4), []float64{1, 1, 1, 0, 1}},
		"first two in one second": {line(1) + line(1) + line(2) + line(3) + line(4), []float64{1, 0, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			for _, i := range mustGather(t, c.log).intervals {
				got = append(got, i.Length)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOpenLoop(t *testing.T) {
	const log = "Running the test with following options:\nTarget transaction rate: 50/sec\nReport intermediate results every 1 second(s)\n" +
		"[ 1s ] thds: 2 tps: 46.96 qps: 751.38 (r/w/o: 657.46/0.00/93.92) lat (ms,95%): 1.52 err/s: 0.00 reconn/s: 0.00\n" +
		"[ 1s ] queue length: 17, concurrency: 2\n" +
		"[ 2s ] thds: 2 tps: 54.02 qps: 864.31 (r/w/o: 756.27/0.00/108.04) lat (ms,95%): 1.23 err/s: 0.00 reconn/s: 0.00\n" +
		"[ 2s ] queue length: 3, concurrency: 1"
	g := mustGather(t, log)
	var got [][2]int64
	for _, i := range g.intervals {
		got = append(got, [2]int64{i.Queue, i.Concurrency})
	}
	// The last line was cut off: 1 may have been 13.
	if diff := cmp.Diff([][2]int64{{17, 2}, {0, 0}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestEvents: what went wrong is kept, in bounded number.
func TestEvents(t *testing.T) {
	const first = "[ 1s ] thds: 2 tps: 10.00 qps: 160.00 (r/w/o: 140.00/0.00/20.00) lat (ms,95%): 1.00 err/s: 0.00 reconn/s: 2.00\n"
	g := mustGather(t, "WARNING: --num-threads is deprecated, use --threads instead\n"+first+
		"ALERT: attempt to use an already closed connection\n(last message repeated 3 times)\n"+
		"[ 2s ] thds: 2 tpsFATAL: error 2013: Lost connection\n[ 3s ] thds: 2 tps: 1.1.1 qps\n")
	want := []record.Event{
		{Name: "warning", Detail: "--num-threads is deprecated, use --threads instead"},
		{At: time.Second, Name: "reconnect", Detail: "2.00 connections per second were lost and made again"},
		{At: time.Second, Name: "alert", Detail: "attempt to use an already closed connection"},
		{At: time.Second, Name: "repeated", Detail: "(last message repeated 3 times)"},
		{At: time.Second, Name: "fatal", Detail: "error 2013: Lost connection"},
		{At: time.Second, Name: "unreadable", Detail: "[ 3s ] thds: 2 tps: 1.1.1 qps"},
	}
	// The first interval waits for its length, so what follows it may come first.
	byName := func(events []record.Event) map[string]string {
		m := map[string]string{}
		for _, e := range events {
			m[e.Name] = fmt.Sprint(e.At, e.Detail)
		}
		return m
	}
	if diff := cmp.Diff(byName(want), byName(g.events)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	many := mustGather(t, first+strings.Repeat("FATAL: "+strings.Repeat("long ", 1000)+"\n", 1000))
	if n := len(many.events); n != maxEvents {
		t.Errorf("kept %d events of 1000, want %d", n, maxEvents)
	}
	if last := many.events[len(many.events)-1]; last.Name != "silenced" {
		t.Errorf("the last event is %+v", last)
	}
	if n := len(many.events[1].Detail); n > maxDetail+3 {
		t.Errorf("an event of %d bytes is kept", n)
	}
}

// TestTotalsBehindPrefixes: the final statistics too may come through kubectl.
func TestTotalsBehindPrefixes(t *testing.T) {
	want := mustGather(t, totalsText).log.final
	for name, prefix := range map[string]string{
		"timestamps": "2026-01-02T03:04:05.678901234Z ", "pod": "[pod/a/b] ", "compose": "bench-1  | ", "CI": "[2026-01-02T03:04:05.678Z] ",
	} {
		lines := strings.Split(strings.TrimSuffix(totalsText, "\n"), "\n")
		text := prefix + strings.Join(lines, "\r\n"+prefix) + "\r\n"
		if diff := cmp.Diff(want, mustGather(t, text).log.final, cmp.AllowUnexported(totals{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// TestCheckpointIsTheWarmup: the window is what lies after the checkpoint.
func TestCheckpointIsTheWarmup(t *testing.T) {
	second := strings.ReplaceAll(totalsText, "4.0000s", "6.5000s")
	g := mustGather(t, "[ 4s ] Checkpoint report:\n"+totalsText+second)
	w := g.log.window(true, &series{})
	if w == nil || w.Seconds != 2.5 || w.Counts.Transactions != 10 || w.Counts.Errors != 3 || w.Counts.Reconnects != 1 {
		t.Errorf("window %+v", w)
	}
	all := g.log.whole(&series{})
	if all.Seconds != 6.5 || all.Counts.Transactions != 20 || all.Latency.Percentiles != nil || all.Latency.Sum != 10.4 {
		t.Errorf("whole %+v %+v", all, all.Latency)
	}
	// Without the checkpoint the totals hold the warm-up, so the series has to do.
	measured := series{}
	measured.add(record.Interval{Length: 1, Transactions: 7.4})
	w = mustGather(t, second).log.window(true, &measured)
	if !w.Partial || w.Counts.Transactions != 7 || w.Throughput() != 7.4 {
		t.Errorf("window %+v", w)
	}
}

// TestBuckets: every bucket that sysbench can print is read as what it is, alone
// or among all others.
func TestBuckets(t *testing.T) {
	printed := func(b int) float64 {
		var f figures
		return f.float(fmt.Sprintf("%.3f", bucketValue(b)))
	}
	var all histogram
	for b := range sysbenchBuckets {
		var h histogram
		if !h.add(printed(b), 1) || !all.add(printed(b), int64(b)) {
			t.Fatalf("bucket %d, printed as %v, is refused", b, printed(b))
		}
		got, want := float64(h.record().Counts[0][0]), bucketValue(b)*1e6
		if off := math.Abs(got - want); off > 1000 || printed(b) > 0.06 && off > 1 {
			t.Errorf("bucket %d of %v ns, printed as %v, is read as %v ns", b, want, printed(b), got)
		}
	}
	for b, c := range all.record().Counts {
		if want := int64(math.Round(bucketValue(b) * 1e6)); c != [2]int64{want, int64(b)} {
			t.Errorf("bucket %d of a full histogram is read as %v, want %v ns", b, c, want)
		}
	}
	if all.add(printed(0), 1) {
		t.Error("values that descend are taken")
	}
	for _, ms := range []float64{0, 0.0001, 100001, 50.5} {
		if h := (histogram{}); h.add(ms, 1) {
			t.Errorf("%v ms is not a bucket, yet taken", ms)
		}
	}
}
