package record

import "sort"

// Histogram is a latency distribution as buckets: for each, the value that
// stands for it in nanoseconds and how often it was seen, in ascending order.
// Two histograms of one scheme have the same bucket values, so adding counts
// merges them exactly; percentiles of merged histograms are those of the union,
// which an average of percentiles is not.
type Histogram struct {
	// Scheme names the bucket layout: "sysbench-1024" (1,024 log-spaced buckets
	// from 1 us to 100 s, ratio 1.0182: sb_histogram.c) or "hdr-3".
	Scheme string     `json:"scheme"`
	Counts [][2]int64 `json:"counts"` // [nanoseconds, count]
}

// Total is the number of values.
func (h *Histogram) Total() int64 {
	var n int64
	for _, c := range h.Counts {
		n += c[1]
	}
	return n
}

// Merge adds other's counts to h. The schemes must be the same; Merge reports
// false, and changes nothing, when they are not.
func (h *Histogram) Merge(other *Histogram) bool {
	if h.Scheme != other.Scheme {
		return false
	}
	sum := map[int64]int64{}
	for _, c := range h.Counts {
		sum[c[0]] += c[1]
	}
	for _, c := range other.Counts {
		sum[c[0]] += c[1]
	}
	h.Counts = h.Counts[:0:0]
	for value, count := range sum {
		h.Counts = append(h.Counts, [2]int64{value, count})
	}
	sort.Slice(h.Counts, func(i, j int) bool { return h.Counts[i][0] < h.Counts[j][0] })
	return true
}

// Percentile is the smallest bucket value, in nanoseconds, at or below which at
// least p percent (0 < p <= 100) of the values lie; 0 for an empty histogram.
// Beyond counts how many values lie strictly above that bucket.
func (h *Histogram) Percentile(p float64) (value, beyond int64) {
	total := h.Total()
	var seen int64
	for _, c := range h.Counts {
		seen += c[1]
		if float64(seen)*100 >= p*float64(total) {
			return c[0], total - seen
		}
	}
	return 0, 0
}
