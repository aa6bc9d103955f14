package loadgen

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

// FuzzSysbench: whatever the log, Import does not panic, its errors name the
// log, and what it accepts makes sense.
func FuzzSysbench(f *testing.F) {
	for _, path := range logs(f, "testdata/*/*.log") {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(totalsText + totalsText)
	f.Add("[ 4s ] Checkpoint report:\n" + totalsText + totalsText)
	f.Fuzz(func(t *testing.T, log string) {
		read, err := Import("f.log", strings.NewReader(log))
		lines, threads := read.Lines, read.Threads
		if err != nil {
			var at *LogError
			if !errors.As(err, &at) || at.Name != "f.log" || at.Line < 0 || len(lines) > 0 {
				t.Fatalf("error %#v with %d lines", err, len(lines))
			}
			return
		}
		if len(lines) > 2*(strings.Count(log, "\n")+strings.Count(log, `\n`)+strings.Count(log, "\r"))+maxEvents+20 || threads < 0 {
			t.Fatalf("%d lines, %d threads", len(lines), threads)
		}
		end := 0.0
		for _, l := range lines {
			if l.Interval != nil {
				plausibleInterval(t, *l.Interval, end)
				end = l.Interval.End
			}
		}
		plausibleWindow(t, windowOf(lines))
	})
}

func plausible(values ...float64) bool {
	for _, v := range values {
		if !(v >= 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func plausibleInterval(t *testing.T, i record.Interval, before float64) {
	t.Helper()
	if !plausible(i.End, i.Length, i.Transactions, i.Queries, i.Reads, i.Writes, i.Other, i.Errors, i.Reconnects, i.Latency, float64(i.Queue), float64(i.Concurrency)) ||
		i.End < before || i.Threads < 0 || i.Percentile < 0 || i.Percentile > 100 || i.Warmup {
		t.Fatalf("interval after %v s: %+v", before, i)
	}
}

func plausibleWindow(t *testing.T, w *record.Window) {
	t.Helper()
	if w == nil {
		t.Fatal("accepted without a window")
	}
	c := w.Counts
	for _, n := range []int64{c.Transactions, c.Reads, c.Writes, c.Other, c.Errors, c.Reconnects} {
		if n < 0 {
			t.Fatalf("counts %+v", c)
		}
	}
	if !(w.Seconds > 0) || !plausible(w.Seconds, w.Rate, w.Throughput()) || w.Partial && w.Latency != nil || !w.Partial && w.Rate != 0 {
		t.Fatalf("window %+v", w)
	}
	if l := w.Latency; l != nil {
		if !plausible(l.Min, l.Mean, l.Max, l.Sum) {
			t.Fatalf("latency %+v", l)
		}
		plausibleHistogram(t, l.Histogram)
	}
}

func plausibleHistogram(t *testing.T, h *record.Histogram) {
	t.Helper()
	if h == nil {
		return
	}
	last := int64(0)
	for _, c := range h.Counts {
		if c[0] <= last || c[1] < 0 {
			t.Fatalf("histogram %+v", h)
		}
		last = c[0]
	}
}

// FuzzGenerator: whatever a generator prints, a merger neither panics nor takes what is no
// report of two generators for one.
func FuzzGenerator(f *testing.F) {
	f.Add([]byte(`{"interval":{"end_s":1,"transactions":5}}`))
	f.Add([]byte(`{"fact":{"key":"path.rtt_us","value":"5"}}`))
	f.Add([]byte(`{"report":{"version":1,"seconds":1,"latency":{"histogram":{"scheme":"hdr-3","counts":[[1000,5]]}},"lateness":{},"statements":[]}}`))
	f.Add([]byte(`{"report":{"version":1,"seconds":1,"latency":{"histogram":{"scheme":"hdr-3","counts":[[-1,5]]}},"statements":[{"histogram":{}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := &merger{emit: func(record.Line) error { return nil }, series: make([][]record.Interval, 2), reports: make([]*summary.Summary, 2)}
		for number := range 2 {
			if err := m.line(number, text); err != nil {
				return
			}
		}
		sum, err := m.sum(0)
		if (err == nil) != (sum != nil) {
			t.Fatalf("%v with %v", sum, err)
		}
	})
}
