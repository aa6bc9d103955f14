package loadgen

import (
	"math"
	"regexp"
	"sort"

	"github.com/tarebench/tare/internal/record"
)

// sysbenchScheme is the layout of sysbench's histogram: oper_handler_init in
// sb_logger.c makes 1,024 buckets from 0.001 to 100,000 ms, spaced by their
// logarithm, each 1.0182 times the one before.
const (
	sysbenchScheme  = "sysbench-1024"
	sysbenchBuckets = 1024
	sysbenchMin     = 0.001  // ms
	sysbenchMax     = 100000 // ms
)

var (
	histogramBegin = regexp.MustCompile(`^(?:Latency histogram \(values are in milliseconds\)|value +-+ distribution -+ count)$`)
	histogramLine  = regexp.MustCompile(`^([\d.]+) \|\** +(\d+)$`)
)

// bucketValue is the value in milliseconds that stands for a bucket, as
// sb_histogram_print computes it.
func bucketValue(bucket int) float64 {
	return math.Exp(float64(bucket)/bucketsPerE() + math.Log(sysbenchMin))
}

// bucketsPerE is range_mult of sb_histogram_init.
func bucketsPerE() float64 {
	return (sysbenchBuckets - 1) / (math.Log(sysbenchMax) - math.Log(sysbenchMin))
}

// histogram collects the printed lines of one run.
type histogram struct {
	rows []histogramRow
	// bad says that a line of it cannot be read: what is left has other percentiles.
	bad bool
}

type histogramRow struct {
	ms    float64
	count int64
}

// add takes one printed line and reports whether it can be one: its value is
// that of a bucket, the values ascend, and no value is printed more often than
// it has buckets.
func (h *histogram) add(ms float64, count int64) bool {
	first, last := bucketsOf(ms)
	same := 0
	for i := len(h.rows) - 1; i >= 0 && h.rows[i].ms == ms; i-- {
		same++
	}
	if n := len(h.rows); last-first < same || n > 0 && h.rows[n-1].ms > ms {
		h.bad = true
		return false
	}
	h.rows = append(h.rows, histogramRow{ms, count})
	return true
}

// bucketsOf is the range of buckets whose value is printed as ms, empty (last <
// first) where there is none. sysbench prints three decimals of a millisecond,
// so below 0.055 ms several buckets look the same.
func bucketsOf(ms float64) (first, last int) {
	printed := math.Round(ms * 1000)
	first = sort.Search(sysbenchBuckets, func(b int) bool { return math.Round(bucketValue(b)*1000) >= printed })
	last = sort.Search(sysbenchBuckets, func(b int) bool { return math.Round(bucketValue(b)*1000) > printed }) - 1
	return first, last
}

// record returns the histogram as the record keeps it, nil for an empty one.
// Lines of one printed value are put into the middle of the buckets that they
// may be: half a microsecond off at most.
func (h *histogram) record() *record.Histogram {
	if len(h.rows) == 0 || h.bad {
		return nil
	}
	r := &record.Histogram{Scheme: sysbenchScheme}
	for i := 0; i < len(h.rows); {
		same := i
		for same < len(h.rows) && h.rows[same].ms == h.rows[i].ms {
			same++
		}
		first, last := bucketsOf(h.rows[i].ms)
		bucket := first + (last-first+1-(same-i))/2
		for ; i < same; i++ {
			r.Counts = append(r.Counts, [2]int64{int64(math.Round(bucketValue(bucket) * 1e6)), h.rows[i].count})
			bucket++
		}
	}
	return r
}
