package summary

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/record"
)

// TestHistogramIsReadable: whatever the latencies are, the histogram is a page that has each of them once, in ascending
// lines, and whose lines say what they hold.
func TestHistogramIsReadable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		of    func() float64 // ns
		least int            // lines
	}{
		"a usual load":             {func() float64 { return math.Exp(r.NormFloat64()/2 + 15) }, 15},
		"microseconds to a minute": {func() float64 { return math.Pow(10, 3+r.Float64()*7.7) }, 15},
		"all that can be":          {func() float64 { return r.Float64() * float64(time.Hour) * r.Float64() * r.Float64() }, 10},
		"two modes":                {func() float64 { return map[bool]float64{true: 1e6, false: 1e9}[r.IntN(9) > 0] * (1 + r.Float64()/9) }, 15},
		"one value":                {func() float64 { return 3.1e6 }, 1},
		"none below a microsecond": {func() float64 { return r.Float64() * 900 }, 1},
	} {
		h := latency.New()
		for range 10000 {
			h.Record(int64(c.of()))
		}
		var out strings.Builder
		(&Summary{Latency: Latency{Histogram: h.Export()}}).Histogram(&out)
		rows, total := histogramRows(h.Export()), int64(0)
		for i, row := range rows {
			total += row.count
			if i > 0 && row.to <= rows[i-1].to {
				t.Errorf("%s: line %d ends at %v ms, after %v", name, i, row.to, rows[i-1].to)
			}
		}
		if lines := strings.Count(out.String(), "|"); lines > mostRows || lines < c.least {
			t.Errorf("%s: %d lines", name, lines)
		}
		if total != 10000 {
			t.Errorf("%s: the lines count %d of 10000", name, total)
		}
		if rows[0].count == 0 || rows[len(rows)-1].count == 0 {
			t.Errorf("%s: the first or the last line is empty", name)
		}
	}
}

// TestHistogramRow: a latency is on the line whose value it does not exceed, and exceeds that of the line before.
func TestHistogramRow(t *testing.T) {
	h := &record.Histogram{Scheme: latency.Scheme, Counts: [][2]int64{{1e6, 2}, {1000001, 3}, {2e6, 0}, {9e6, 1}}}
	var out strings.Builder
	(&Summary{Latency: Latency{Histogram: h}}).Histogram(&out)
	for _, want := range []string{"       1.000 |***************************              2\n", "       1.122 |**************************************** 3\n", "       1.259 |                                         0\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}
