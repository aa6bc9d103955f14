package summary

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/tarebench/tare/internal/loadgen/loop"
)

// Line prints an interval as sysbench does; programs that read its lines read ours.
func Line(w io.Writer, i loop.Interval, threads int, percentile float64, open bool) {
	s := i.Length.Seconds()
	per := func(n int64) float64 { return float64(n) / s }
	fmt.Fprintf(w, "[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%g%%): %4.2f err/s: %4.2f reconn/s: %4.2f\n",
		i.End.Seconds(), threads, per(i.Transactions), per(i.Queries()), per(i.Reads), per(i.Writes), per(i.Other),
		percentile, float64(i.Latency.Percentile(percentile))/1e6, per(i.ErrorCount()), per(i.Reconnects))
	if open {
		fmt.Fprintf(w, "[ %.0fs ] queue length: %d, concurrency: %d\n", i.End.Seconds(), i.Queue, i.Busy)
	}
}

// Text prints the totals in sysbench's form, with what sysbench does not measure
// after it.
func (r *Summary) Text(w io.Writer, percentile float64) {
	c := r.Counts
	queries := c.Reads + c.Writes + c.Other
	per := func(n int64) string { return fmt.Sprintf("%-6d (%.2f per sec.)", n, float64(n)/max(r.Seconds, 1e-9)) }
	fmt.Fprintf(w, "Number of threads: %d\n\n", r.Threads) // a log without intervals says it nowhere else
	fmt.Fprintf(w, "SQL statistics:\n    queries performed:\n        read:  %28d\n        write: %28d\n        other: %28d\n        total: %28d\n",
		c.Reads, c.Writes, c.Other, queries)
	fmt.Fprintf(w, "    transactions:                        %s\n    queries:                             %s\n", per(c.Transactions), per(queries))
	fmt.Fprintf(w, "    ignored errors:                      %s\n    reconnects:                          %s\n\n", per(c.Errors), per(c.Reconnects))
	fmt.Fprintf(w, "General statistics:\n    total time:                          %.4fs\n    total number of events:              %d\n\n", r.Seconds, c.Transactions)
	heading := "Latency (ms):"
	if r.Generator.Invalid != "" {
		heading += " INVALID, see the last lines"
	} else if r.Generator.Waited != "" {
		heading += " the load generator waited for a CPU, see the last lines"
	}
	fmt.Fprintln(w, heading)
	if l := r.Latency.Record(); l != nil {
		p, _ := r.Latency.Histogram.Percentile(percentile)
		for _, row := range []struct {
			name  string
			value float64
		}{{"min", l.Min}, {"avg", l.Mean}, {"max", l.Max}, {fmt.Sprintf("%gth percentile", percentile), float64(p) / 1e6}, {"sum", l.Sum}} {
			if percentile == 0 && strings.HasSuffix(row.name, "percentile") {
				continue // as of sysbench: 0 is none
			}
			fmt.Fprintf(w, "    %-16s%29.2f\n", row.name+":", row.value)
		}
	}
	r.more(w)
}

func (r *Summary) more(w io.Writer) {
	r.kinds(w)
	r.statements(w)
	r.slowest(w)
	if r.Lateness != nil {
		p, _ := r.Lateness.Histogram.Percentile(99)
		fmt.Fprintf(w, "\nArrivals: due %d, unsent at the end %d, sent late (99th percentile) %.3f ms\n", r.Due, r.Unsent, float64(p)/1e6)
	}
	if len(r.ErrorCodes) > 0 {
		fmt.Fprintf(w, "\nErrors by code: %s\n", codes(r.ErrorCodes))
	}
	for _, o := range r.Outages {
		until := "the end"
		if o.FirstSuccess > 0 {
			until = fmt.Sprintf("%.3f s (%.3f s)", o.FirstSuccess, o.FirstSuccess-o.FirstFailure)
		}
		fmt.Fprintf(w, "Without service: from %.3f s to %s; last success before at %.3f s\n", o.FirstFailure, until, o.LastSuccess)
	}
	if r.Unreachable != "" {
		fmt.Fprintf(w, "Connections were missing at the end: %s\n", r.Unreachable)
	}
	g := r.Generator
	fmt.Fprintf(w, "\nGenerator: %d loops, CPU %.3f s user %.3f s system, waited %.3f s to run, throttled %.3f s, busiest loop %.0f %%\n",
		g.Loops, g.UserSeconds, g.SystemSeconds, g.RunQueueSeconds, g.ThrottledSeconds, 100*g.Busiest)
	if n := r.Network; n.Sockets > 0 {
		fmt.Fprintf(w, "Network: %d sockets, smallest round trip %.0f us (to the address given: a proxy or port-forward there hides the rest), %d retransmissions\n", n.Sockets, n.MinRTT, n.Retransmits)
	}
	if g.Waited != "" {
		fmt.Fprintf(w, "WAITED: %s. %s\n", g.Waited, remedies["late"])
	}
	if g.Invalid != "" {
		fmt.Fprintf(w, "INVALID: %s. The latencies are those of the load generator too. %s\n", g.Invalid, remedies[g.InvalidCode])
	}
}

// remedies are what to do about a generator that was held up, by the code of why.
var remedies = map[string]string{
	"quota": "Give it a larger CPU quota, or lower the rate.",
	"busy":  "Lower the rate or the number of connections, or run several generators (--generators) on other machines.",
	"late":  "Stop other programs on this machine, lower the rate, or add connections (--threads).",
}

func codes(m map[uint16]int64) string {
	var keys []int
	for k := range m {
		keys = append(keys, int(k))
	}
	sort.Ints(keys)
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%d: %d", k, m[uint16(k)]))
	}
	return strings.Join(parts, ", ")
}
