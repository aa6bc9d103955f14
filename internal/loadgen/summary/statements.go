package summary

// The statements of a report as text: by name, or by their SQL where they have no name.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// mostStatements is how many statements are printed: a captured workload can have hundreds.
const mostStatements = 20

// statements prints the latency of each statement, of those with the same SQL together; of more than mostStatements
// those that took the most time. The JSON has all.
func (r *Summary) statements(w io.Writer) {
	rows := r.labelled()
	all := 0.0
	for _, row := range rows {
		all += row.SumNS
	}
	rest := 0.0
	left := max(0, len(rows)-mostStatements)
	if left > 0 {
		slices.SortStableFunc(rows, func(a, b labelled) int { return cmp.Compare(b.SumNS, a.SumNS) })
		for _, further := range rows[mostStatements:] {
			rest += further.SumNS
		}
		rows = rows[:mostStatements]
	}
	r.printStatements(w, rows)
	if left > 0 {
		fmt.Fprintf(w, "    %d more took %.1f %% of the time of all statements; --report-json has them\n", left, 100*rest/max(all, 1e-9))
	}
}

// printStatements prints a line for each, and why one of them can take longer than the longest transaction.
func (r *Summary) printStatements(w io.Writer, rows []labelled) {
	width := 32
	for _, row := range rows {
		width = max(width, len([]rune(row.label)))
	}
	fmt.Fprintf(w, "\n%-*s      count       p50       p99       max\n", width+4, "Statements (ms):")
	longest := 0.0
	for _, row := range rows {
		l := row.Record()
		if l != nil {
			longest = max(longest, l.Max)
		}
		fmt.Fprintf(w, "    %-*s %10d %9.3f %9.3f %9.3f\n", width, row.label, row.Histogram.Total(), l.Percentiles["50"], l.Percentiles["99"], l.Max)
	}
	if r.Latency.Histogram == nil {
		return
	}
	if l := r.Latency.Record(); l != nil && longest > l.Max {
		fmt.Fprintln(w, "    The longest statement took longer than the longest transaction: it is of a transaction that failed or was not complete within the window, and is not counted above.")
	}
}
