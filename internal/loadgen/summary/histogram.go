package summary

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// mostRows is how many lines of a histogram a person reads.
const mostRows = 30

// perDecade are the numbers of lines in which a histogram can divide a factor of ten: series of preferred
// numbers (ISO 3), the finest first.
var perDecade = []int{80, 40, 20, 10, 5, 3}

// histogramRow is a line: how many latencies were above the line before, and at most this many milliseconds.
type histogramRow struct {
	to    float64
	count int64
}

// Histogram prints the distribution as sysbench's --histogram does, on at most [mostRows] lines. All buckets, of three
// significant figures, are in the JSON.
func (r *Summary) Histogram(w io.Writer) {
	fmt.Fprintln(w, "Latency histogram (values are in milliseconds; a line counts what is above the line before, up to its value)")
	fmt.Fprintln(w, "       value  ------------- distribution ------------- count")
	rows := histogramRows(r.Latency.Histogram)
	var most int64 = 1
	for _, row := range rows {
		most = max(most, row.count)
	}
	for _, row := range rows {
		stars := strings.Repeat("*", int(float64(row.count)/float64(most)*40+0.5))
		fmt.Fprintf(w, "%12.3f |%-40s %d\n", row.to, stars, row.count)
	}
	fmt.Fprintln(w)
}

// histogramRows divides the range of the latencies into lines of equal ratio. Lines without latencies between others
// are there as well: a gap is part of the shape.
func histogramRows(h *record.Histogram) (rows []histogramRow) {
	seen := slices.DeleteFunc(slices.Clone(h.Counts), func(c [2]int64) bool { return c[1] <= 0 })
	if len(seen) == 0 {
		return nil
	}
	n, first, last := 0, 0, 0
	for _, n = range perDecade {
		first, last = rowOf(seen[0][0], n), rowOf(seen[len(seen)-1][0], n)
		if last-first < mostRows {
			break
		}
	}
	for row := first; row <= last; row++ {
		rows = append(rows, histogramRow{to: math.Pow(10, float64(row)/float64(n))})
	}
	for _, c := range seen {
		rows[rowOf(c[0], n)-first].count += c[1]
	}
	return rows
}

// rowOf is the line of a latency in nanoseconds, with n lines for a factor of ten. Below a microsecond all are one:
// three decimals of a millisecond tell no less apart.
func rowOf(ns int64, n int) int {
	return int(math.Ceil(float64(n) * math.Log10(float64(max(ns, 1000))/1e6)))
}
