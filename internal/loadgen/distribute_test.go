package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

// part is what a generator of so many transactions prints.
func part(t *testing.T, transactions int64) []string {
	t.Helper()
	r := &summary.Summary{
		Version: summary.Version, Workload: "oltp_read_only", Generators: 1, Threads: 2, Seconds: 2, Counts: record.Counts{Transactions: transactions},
		Latency: summary.Latency{Histogram: &record.Histogram{Scheme: "hdr-3", Counts: [][2]int64{{1000, transactions}, {2000, 1}}}, SumNS: 5},
	}
	var lines []string
	for i := range 2 {
		b, err := json.Marshal(printed{Interval: &record.Interval{End: float64(i + 1), Length: 1, Threads: 2, Transactions: float64(transactions), Percentile: 95, Latency: float64(transactions),
			Coarse: &record.Coarse{First: 40 + i, Counts: []int64{transactions, 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	b, err := json.Marshal(printed{Report: r})
	if err != nil {
		t.Fatal(err)
	}
	return append(lines, "WARNING: something of the runtime's", string(b))
}

func spread(t *testing.T, parts [][]string, end error) ([]record.Line, record.Outcome, error) {
	t.Helper()
	var lines []record.Line
	generate := func(_ context.Context, _ []byte, line func(int, []byte) error) error {
		for number, part := range parts {
			for _, text := range part {
				if err := line(number, []byte(text)); err != nil {
					return err
				}
			}
		}
		return end
	}
	outcome, _, err := Distribute(context.Background(), Job{Workload: "oltp_read_only", Threads: 6, Measure: time.Second}, len(parts), "run-1", generate,
		func(l record.Line) error { lines = append(lines, l); return nil })
	return lines, outcome, err
}

// TestSpread: the window is the sum of the parts, to the last count of the
// histogram, and the series is summed step by step.
func TestSpread(t *testing.T) {
	lines, outcome, err := spread(t, [][]string{part(t, 10), part(t, 20), part(t, 30)}, nil)
	if err != nil || outcome != record.Measured {
		t.Fatalf("Spread: %s, %v", outcome, err)
	}
	var series []record.Interval
	var window *record.Window
	for _, l := range lines {
		if l.Interval != nil {
			series = append(series, *l.Interval)
		}
		if l.Window != nil {
			window = l.Window
		}
	}
	want := []record.Interval{
		{End: 1, Length: 1, Threads: 6, Transactions: 60, Percentile: 95, Latency: 30, Coarse: &record.Coarse{First: 40, Counts: []int64{60, 3}}},
		{End: 2, Length: 1, Threads: 6, Transactions: 60, Percentile: 95, Latency: 30, Coarse: &record.Coarse{First: 41, Counts: []int64{60, 3}}},
	}
	if diff := cmp.Diff(want, series); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	if window == nil || window.Counts.Transactions != 60 {
		t.Fatalf("window %+v, want 60 transactions", window)
	}
	if diff := cmp.Diff([][2]int64{{1000, 60}, {2000, 3}}, window.Latency.Histogram.Counts); diff != "" {
		t.Errorf("histogram (-want +got):\n%s", diff)
	}
}

// TestShare: every connection is of one generator, and no two generators differ by
// more than one.
func TestShare(t *testing.T) {
	for _, c := range []struct{ threads, of int }{{25, 2}, {75, 2}, {175, 2}, {8, 4}, {7, 7}, {100, 33}} {
		next := 0
		for number := range c.of {
			n, before := share(c.threads, c.of, number)
			if before != next || n < c.threads/c.of || n > c.threads/c.of+1 {
				t.Errorf("%d threads, generator %d of %d: %d connections from %d on, want from %d", c.threads, number, c.of, n, before, next)
			}
			next += n
		}
		if next != c.threads {
			t.Errorf("%d threads of %d generators: %d connections", c.threads, c.of, next)
		}
	}
}

// TestSpreadFails: a generator that is missing, or did not finish, makes no
// result.
func TestSpreadFails(t *testing.T) {
	whole, cut, short := part(t, 10), part(t, 10)[:2], part(t, 10)
	short[3] = strings.Replace(short[3], `"seconds":2`, `"seconds":0.5`, 1)
	for _, c := range []struct {
		name  string
		parts [][]string
		end   error
		says  string
	}{
		{"no report", [][]string{whole, cut}, nil, "generator 1 of 2 ended without a report"},
		{"cut short", [][]string{whole, short}, nil, "generator 1 of 2 measured 0.50 s instead of 1s"},
		{"failed", [][]string{whole, whole}, errors.New("the pod was killed"), "the pod was killed"},
		{"half a line", [][]string{whole, {`{"interval":`}}, nil, "read line of generator 1"},
		{"too many generators", [][]string{whole, whole, whole, whole, whole, whole, whole}, nil, "6 threads are too few for 7 generators"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, outcome, err := spread(t, c.parts, c.end)
			if err == nil || outcome != record.Failed || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Spread: %s, %v; want %q", outcome, err, c.says)
			}
			for _, l := range lines {
				if l.Window != nil {
					t.Errorf("a window of a load that failed: %+v", l.Window)
				}
			}
		})
	}
}
