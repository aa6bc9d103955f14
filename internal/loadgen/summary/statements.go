package summary

// The statements of a report as text: by name, or by their SQL where they have no name.

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// mostStatements is how many statements are printed: a captured workload can have hundreds.
const mostStatements = 20

// statements prints the latency of each statement; of more than mostStatements those that took the most time. The JSON
// has all.
func (r *Summary) statements(w io.Writer) {
	type row struct {
		s   Statement
		sum float64
	}
	var rows []row
	all := 0.0
	for _, s := range r.Statements {
		if l := s.Latency.Record(); l != nil {
			rows, all = append(rows, row{s, l.Sum}), all+l.Sum
		}
	}
	rest := 0.0
	left := max(0, len(rows)-mostStatements)
	if left > 0 {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.sum, a.sum) })
		for _, further := range rows[mostStatements:] {
			rest += further.sum
		}
		rows = rows[:mostStatements]
	}
	width := 32
	for _, row := range rows {
		width = max(width, len([]rune(label(row.s))))
	}
	fmt.Fprintf(w, "\n%-*s      count       p50       p99       max\n", width+4, "Statements (ms):")
	for _, row := range rows {
		l := row.s.Latency.Record()
		fmt.Fprintf(w, "    %-*s %10d %9.3f %9.3f %9.3f\n", width, label(row.s), row.s.Histogram.Total(), l.Percentiles["50"], l.Percentiles["99"], l.Max)
	}
	if left > 0 {
		fmt.Fprintf(w, "    %d more took %.1f %% of the time of all statements; --report-json has them\n", left, 100*rest/max(all, 1e-9))
	}
}

// numbered is what a workload file calls a statement that has no name of its own: kind_3.
var numbered = regexp.MustCompile(`_[0-9]+$`)

// label is the name of a statement, or the beginning of its SQL where the name is only a number in a transaction.
func label(s Statement) string {
	if !numbered.MatchString(s.Name) || s.SQL == "" {
		return s.Name
	}
	const most = 56
	sql := strings.Join(strings.Fields(s.SQL), " ")
	if runes := []rune(sql); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return sql
}

// labelOf is the label of the statement of that name, or the name itself of another part of a transaction.
func (r *Summary) labelOf(name string) string {
	for _, s := range r.Statements {
		if s.Name == name {
			return label(s)
		}
	}
	return name
}
