// Package latency counts durations in histograms of 3 significant figures that merge exactly.
package latency

import (
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tarebench/tare/internal/record"
)

// Scheme is the name of the bucket layout in a record: all histograms of this
// package have the same buckets, so that they merge exactly, whoever made them.
const Scheme = "hdr-3"

// Longest is the longest duration that is told apart; longer ones count as it.
const Longest = time.Hour

// Histogram counts durations in nanoseconds.
type Histogram struct {
	h *hdr.Histogram
	// Sum of all durations in nanoseconds, exact.
	Sum float64
}

// New returns an empty histogram, about a quarter of a megabyte.
func New() *Histogram { return &Histogram{h: hdr.New(1, int64(Longest), 3)} }

// Record counts a duration in nanoseconds. It does not allocate.
func (h *Histogram) Record(ns int64) {
	ns = min(max(ns, 0), int64(Longest))
	_ = h.h.RecordValue(ns) // in range by the line above
	h.Sum += float64(ns)
}

// Reset empties the histogram. The memory of one that is empty stays untouched: most of a loop's
// histograms count nothing in most of the steps.
func (h *Histogram) Reset() {
	if h.Count() == 0 {
		return
	}
	h.h.Reset()
	h.Sum = 0
}

// Merge adds other's counts.
func (h *Histogram) Merge(other *Histogram) {
	h.h.Merge(other.h)
	h.Sum += other.Sum
}

// Count is how many durations were recorded.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Max and Min are in nanoseconds, 0 for an empty histogram.
func (h *Histogram) Max() int64 { return h.h.Max() }

// Min is the shortest duration in nanoseconds.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.h.Min()
}

// Mean is in nanoseconds and exact.
func (h *Histogram) Mean() float64 {
	if h.Count() == 0 {
		return 0
	}
	return h.Sum / float64(h.Count())
}

// Percentile (0 to 100) is in nanoseconds: the highest value of the bucket that holds the nearest
// rank, at or below which at least p percent of the values lie, as record.Histogram has it. The
// library rounds p percent of the count to the next rank, which can have less below it.
func (h *Histogram) Percentile(p float64) int64 {
	n := float64(h.Count())
	if n == 0 {
		return 0
	}
	rank := math.Floor(p * n / 100)
	for rank == 0 || rank*100 < p*n {
		rank++
	}
	return h.h.ValueAtPercentile(100 * (rank - 0.25) / n) // a quarter off either border of rounding
}

// Coarse counts durations in the record's coarse buckets: a kilobyte, where a
// Histogram has a quarter of a megabyte to go through when an interval ends.
type Coarse [record.CoarseBuckets]int64

// Record counts a duration in nanoseconds. It does not allocate.
func (c *Coarse) Record(ns int64) { c[record.CoarseBucket(ns)]++ }

// Merge adds other's counts.
func (c *Coarse) Merge(other *Coarse) {
	for i, n := range other {
		c[i] += n
	}
}

// Export gives the counts as the record keeps them; nil where there are none.
func (c *Coarse) Export() *record.Coarse { return record.NewCoarse(c[:]) }

// Export gives the counts as the record keeps them: the bucket's highest value
// and its count.
func (h *Histogram) Export() *record.Histogram {
	out := &record.Histogram{Scheme: Scheme}
	for _, b := range h.h.Distribution() {
		if b.Count > 0 {
			out.Counts = append(out.Counts, [2]int64{b.To, b.Count})
		}
	}
	return out
}
