package section

import (
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// heatSpans is how many rows of the table an arm has at most: one for each column of
// the picture could not be read.
const heatSpans = 10

// spans are the rows of the table, as columns of the picture: the warm-up, where all
// trials agree on it, and the rest in equal parts.
func spans(h report.Heat) [][2]int {
	var all [][2]int
	from, n := 0, len(h.Ends)
	if warm := slices.Index(h.Ends, h.Warmup) + 1; warm > 0 {
		all, from = append(all, [2]int{0, warm}), warm
	}
	left := heatSpans - len(all)
	for each := max(1, (n-from+left-1)/left); from < n; from += each {
		all = append(all, [2]int{from, min(n, from+each)})
	}
	return all
}

// heatTable is each arm over a part of the trial at a time. Percentiles are the ends of
// the buckets that hold them.
func heatTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.heat"), Head: d.Heads("arm", "seconds", "requests", "p50-most", "p99-most", "longest-most")}
	for _, a := range d.Heat.Arms {
		for _, s := range spans(d.Heat) {
			var sum *record.Coarse
			for _, c := range a.Columns[min(s[0], len(a.Columns)):min(s[1], len(a.Columns))] {
				sum = sum.Merge(c)
			}
			start := report.Number(0)
			if s[0] > 0 {
				start = d.Heat.Ends[s[0]-1]
			}
			span := d.Language().Between(report.Trimmed(start), report.Trimmed(d.Heat.Ends[s[1]-1]))
			t.Rows = append(t.Rows, append([]Cell{words(d.Label(a.Arm, a.Threads)), number(span)}, heatPercentiles(d.Heat, sum)...))
		}
	}
	return t
}

func heatPercentiles(h report.Heat, c *record.Coarse) []Cell {
	if c == nil {
		return []Cell{number("0"), number("-"), number("-"), number("-")}
	}
	var total int64
	for _, n := range c.Counts {
		total += n
	}
	at := func(share float64) Cell {
		var seen int64
		for i, n := range c.Counts {
			seen += n
			if k := c.First + i + 1; float64(seen) >= share*float64(total) && k < len(h.Bounds) {
				return number(language.Significant(float64(h.Bounds[k])))
			}
		}
		return number("-")
	}
	p99 := number("-")
	if float64(total)/100 >= 10 { // as everywhere: no percentile of single requests
		p99 = at(0.99)
	}
	return []Cell{number(language.Grouped(total)), at(0.5), p99, at(1)}
}
