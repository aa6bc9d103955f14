package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

func sample(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	var x []int64
	for range n {
		x = append(x, int64(math.Exp(r.NormFloat64()*2+13))) // around 0.4 ms, over decades
	}
	return x
}

func of(x []int64) *Histogram {
	h := New()
	for _, v := range x {
		h.Record(v)
	}
	return h
}

// TestMergeIsExact: two generators' histograms merge to that of all their values,
// bucket for bucket, also through the record's form.
func TestMergeIsExact(t *testing.T) {
	a, b := sample(1, 20000), sample(2, 30000)
	merged := of(a)
	merged.Merge(of(b))
	whole := of(append(append([]int64{}, a...), b...))
	if d := cmp.Diff(whole.Export(), merged.Export()); d != "" {
		t.Error(d)
	}
	r := of(a).Export()
	r.Merge(of(b).Export())
	if d := cmp.Diff(whole.Export(), r); d != "" {
		t.Error(d)
	}
	back, err := rebuilt(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole.Export(), back.Export()); d != "" {
		t.Error(d)
	}
}

// TestC12Histogram is the calibration test of percentiles: those of 60 merged
// histograms equal those of one that saw everything, and both lie within a
// thousandth of the sorted values. The broken control, an average of the parts'
// percentiles, must fail: one part with a stall moves the 99th by a sixtieth of
// what it moves in truth.
func TestC12Histogram(t *testing.T) {
	const parts = 60
	var all []int64
	merged, average := New(), 0.0
	for i := range uint64(parts) {
		x := sample(100+i, 2000)
		if i < 2 { // two generators met a freeze
			for j := range x {
				x[j] += int64(time.Second)
			}
		}
		h := of(x)
		merged.Merge(h)
		average += float64(h.Percentile(99)) / parts
		all = append(all, x...)
	}
	whole := of(all)
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	for _, p := range []float64{50, 90, 95, 99, 99.9, 99.99} {
		truth := float64(all[int(math.Ceil(p*float64(len(all))/100))-1])
		if got := merged.Percentile(p); got != whole.Percentile(p) || math.Abs(float64(got)-truth) > truth/1000+1 {
			t.Errorf("p%v is %d merged and %d whole, the value %.0f", p, got, whole.Percentile(p), truth)
		}
	}
	if truth := float64(all[len(all)*99/100]); math.Abs(average-truth) < truth/2 {
		t.Errorf("the average of percentiles, %.0f, comes close to %.0f: the control is too easy", average, truth)
	}
}

func TestThreeSignificantFigures(t *testing.T) {
	x := sample(3, 50000)
	h := of(x)
	sort.Slice(x, func(i, j int) bool { return x[i] < x[j] })
	for _, p := range []float64{1, 50, 90, 99, 99.9} {
		want := x[int(math.Round(p*float64(len(x))/100))-1]
		if got := h.Percentile(p); math.Abs(float64(got-want)) > float64(want)/1000+1 {
			t.Errorf("p%v is %d, want %d", p, got, want)
		}
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	if h.Sum != sum || h.Count() != int64(len(x)) {
		t.Errorf("sum %v of %d, want %v of %d", h.Sum, h.Count(), sum, len(x))
	}
}

func TestOutOfRange(t *testing.T) {
	h := of([]int64{-5, int64(100 * time.Hour)})
	if h.Count() != 2 || h.Min() != 0 || h.Max() < int64(Longest) {
		t.Errorf("count %d, min %d, max %d", h.Count(), h.Min(), h.Max())
	}
}

// A bucket of a histogram lies in one coarse bucket, so the two never disagree.
func TestCoarseAgreesWithTheHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	h, c := New(), &Coarse{}
	for range 20_000 {
		ns := int64(math.Exp(rng.Float64() * math.Log(float64(Longest))))
		h.Record(ns)
		c.Record(ns)
	}
	var want Coarse
	for _, b := range h.Export().Counts {
		want[record.CoarseBucket(b[0])] += b[1]
	}
	if *c != want {
		t.Errorf("coarse %v, the histogram has %v", *c, want)
	}
	var sum Coarse
	sum.Merge(c)
	sum.Merge(c)
	if got := sum.Export(); got.Counts[0] != 2*c.Export().Counts[0] || got.First != c.Export().First {
		t.Errorf("merged with itself: %v", got)
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h, c := New(), &Coarse{}
	if n := testing.AllocsPerRun(1000, func() { h.Record(123456); c.Record(123456) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// rebuilt makes a histogram from a record. The sum is known only as well as the
// buckets tell it; the caller sets Sum where it has the exact one.
func rebuilt(r *record.Histogram) (*Histogram, error) {
	if r.Scheme != Scheme {
		return nil, fmt.Errorf("import histogram: scheme %q is not %s", r.Scheme, Scheme)
	}
	h := New()
	for _, c := range r.Counts {
		if err := h.h.RecordValues(c[0], c[1]); err != nil {
			return nil, fmt.Errorf("import histogram: %w", err)
		}
		h.Sum += float64(c[0]) * float64(c[1])
	}
	return h, nil
}

// TestPercentileIsTheRecords: a second of the series and the window have one convention.
func TestPercentileIsTheRecords(t *testing.T) {
	for n := 1; n <= 400; n++ {
		h := of(sample(uint64(n), n))
		exported := h.Export()
		for _, p := range []float64{1, 50, 95, 99, 99.9, 100} {
			want, _ := exported.Percentile(p) // both are the highest value of a bucket
			if got := h.Percentile(p); got != want {
				t.Fatalf("p%v of %d values: %d, the record says %d", p, n, got, want)
			}
		}
	}
	if got := New().Percentile(95); got != 0 {
		t.Errorf("p95 of nothing is %d", got)
	}
}
