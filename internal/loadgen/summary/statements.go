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
	width := 32
	for _, row := range rows {
		width = max(width, len([]rune(row.label)))
	}
	fmt.Fprintf(w, "\n%-*s      count       p50       p99       max\n", width+4, "Statements (ms):")
	for _, row := range rows {
		l := row.Record()
		fmt.Fprintf(w, "    %-*s %10d %9.3f %9.3f %9.3f\n", width, row.label, row.Histogram.Total(), l.Percentiles["50"], l.Percentiles["99"], l.Max)
	}
	if left > 0 {
		fmt.Fprintf(w, "    %d more took %.1f %% of the time of all statements; --report-json has them\n", left, 100*rest/max(all, 1e-9))
	}
}
