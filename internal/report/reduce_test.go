package report

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// What is kept of a series draws what the whole would: in every column the first, the
// last, and both extremes; and every end of a warm-up and of a gap stays.
func TestReduceKeepsWhatAPictureShows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	whole := Trial{}
	for s := range 86_400 {
		whole.add(float64(s+1), 1000*rng.ExpFloat64(), rng.ExpFloat64(), s < 601)
	}
	whole.TPS[40_000], whole.Latency[40_000] = Unknown(), Unknown()
	cut := whole
	cut.reduce()
	if len(cut.Seconds) > 8*columns || cut.ReducedFrom != 86_400 {
		t.Fatalf("%d of %d kept", len(cut.Seconds), cut.ReducedFrom)
	}
	if !reflect.DeepEqual(pixels(&whole), pixels(&cut)) {
		t.Error("the reduced series draws another picture")
	}
	if i := slices.Index(cut.Warmup, false); cut.Seconds[i] != 602 || cut.Seconds[i-1] != 601 {
		t.Errorf("the warm-up ends at %v", cut.Seconds[i])
	}
	if !slices.ContainsFunc(cut.TPS, func(n Number) bool { return !n.Known() }) {
		t.Error("the gap is bridged")
	}
	short := Trial{}
	for s := range wholeSeries {
		short.add(float64(s), 1, 1, false)
	}
	if short.reduce(); short.ReducedFrom != 0 || len(short.Seconds) != wholeSeries {
		t.Error("a series that fits was cut")
	}
}

// pixels are the first, lowest, highest and last value of each column of a picture.
func pixels(t *Trial) [columns + 1][2][4]float64 {
	var all [columns + 1][2][4]float64
	var seen [columns + 1][2]bool
	for i, s := range t.Seconds {
		k := int((float64(s) - 1) / (86_399.0 / columns))
		for m, series := range [][]Number{t.TPS, t.Latency} {
			v := float64(series[i])
			if !series[i].Known() {
				continue
			}
			c := &all[k][m]
			if !seen[k][m] {
				*c, seen[k][m] = [4]float64{v, v, v, v}, true
			}
			c[1], c[2], c[3] = math.Min(c[1], v), math.Max(c[2], v), v
		}
	}
	return all
}
