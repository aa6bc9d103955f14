package record_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// Every duration lies between the bounds of its bucket, and buckets follow one
// another without a gap.
func TestCoarseBuckets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		ns := rng.Int64N(1 << (1 + rng.IntN(42)))
		k := record.CoarseBucket(ns)
		if ns < record.CoarseBound(k) || k+1 < record.CoarseBuckets && ns >= record.CoarseBound(k+1) {
			t.Fatalf("%d ns is in bucket %d, which is %d to %d", ns, k, record.CoarseBound(k), record.CoarseBound(k+1))
		}
	}
	for k := range record.CoarseBuckets - 1 {
		from, to := record.CoarseBound(k), record.CoarseBound(k+1)
		if to <= from || k > 0 && float64(to)/float64(from) > 1.2501 {
			t.Errorf("bucket %d is %d to %d", k, from, to)
		}
		if record.CoarseBucket(to-1) != k {
			t.Errorf("%d is in bucket %d, not %d", to-1, record.CoarseBucket(to-1), k)
		}
	}
	if k := record.CoarseBucket(1 << 62); k != record.CoarseBuckets-1 {
		t.Errorf("146 years are in bucket %d", k)
	}
}

// Merged parts are the whole, in any order.
func TestCoarseMerges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var whole [record.CoarseBuckets]int64
	var sum *record.Coarse
	for range 20 {
		var part [record.CoarseBuckets]int64
		for range rng.IntN(5) {
			k := rng.IntN(record.CoarseBuckets)
			part[k]++
			whole[k]++
		}
		sum = record.NewCoarse(part[:]).Merge(sum)
	}
	if diff := cmp.Diff(record.NewCoarse(whole[:]), sum); diff != "" {
		t.Error(diff)
	}
	if got := (*record.Coarse)(nil).Merge(nil); got != nil {
		t.Errorf("nothing merged is %v", got)
	}
}

// A damaged record is not a reason to stop.
func TestCoarseOfADamagedRecord(t *testing.T) {
	var sum [record.CoarseBuckets]int64
	(&record.Coarse{First: -2, Counts: []int64{1, 1, 1}}).AddTo(sum[:])
	(&record.Coarse{First: record.CoarseBuckets - 1, Counts: []int64{1, 1}}).AddTo(sum[:])
	if sum[0] != 1 || sum[record.CoarseBuckets-1] != 1 {
		t.Error(sum)
	}
}
