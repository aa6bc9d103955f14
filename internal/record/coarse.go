package record

import "math/bits"

// Coarse is how response times were spread within one interval, in few bytes: counts
// in buckets of a quarter of an octave each. Octaves are cut linearly, as the buckets
// of "hdr-3" are, so that each of those lies in one of these. All have the same bounds,
// whoever counted, so adding counts merges them exactly.
type Coarse struct {
	First  int     `json:"first"`  // the bucket of Counts[0]
	Counts []int64 `json:"counts"` // of neighbouring buckets; the last is not 0
}

const (
	coarseFrom = 10 // bucket 0 holds all below 2^10 ns, a microsecond
	// CoarseBuckets is how many there are; the last begins at 2^41 and 3/4 octaves,
	// above an hour, and holds all that is longer.
	CoarseBuckets = (42-coarseFrom)*4 + 1
)

// CoarseBucket is the bucket of a duration in nanoseconds.
func CoarseBucket(ns int64) int {
	if ns < 1<<coarseFrom {
		return 0
	}
	octave := bits.Len64(uint64(ns)) - 1
	return min(CoarseBuckets-1, (octave-coarseFrom)*4+int(ns>>(octave-2)&3)+1)
}

// CoarseBound is where a bucket begins, in nanoseconds; it ends where the next begins.
func CoarseBound(bucket int) int64 {
	if bucket <= 0 {
		return 0
	}
	octave, quarter := coarseFrom+(bucket-1)/4, (bucket-1)%4
	return int64(4+quarter) << (octave - 2)
}

// NewCoarse is counts of all buckets without the empty ends; nil where all are empty.
func NewCoarse(counts []int64) *Coarse {
	first, end := 0, len(counts)
	for first < end && counts[first] == 0 {
		first++
	}
	for end > first && counts[end-1] == 0 {
		end--
	}
	if first == end {
		return nil
	}
	return &Coarse{First: first, Counts: append([]int64(nil), counts[first:end]...)}
}

// AddTo adds the counts to those of all buckets. What a damaged record has outside of
// them is left out.
func (c *Coarse) AddTo(counts []int64) {
	if c == nil {
		return
	}
	for i, n := range c.Counts {
		if k := c.First + i; k >= 0 && k < len(counts) {
			counts[k] += n
		}
	}
}

// Merge is the counts of both; either may be nil.
func (c *Coarse) Merge(other *Coarse) *Coarse {
	var sum [CoarseBuckets]int64
	c.AddTo(sum[:])
	other.AddTo(sum[:])
	return NewCoarse(sum[:])
}
