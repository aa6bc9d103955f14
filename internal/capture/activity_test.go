package capture

import (
	"math"
	"testing"
)

// TestActivity: a load of 10 statements a second for 7.9 s begins at any moment of a second. Whole seconds give its
// length from the full seconds, and a jump back is no part of it.
func TestActivity(t *testing.T) {
	for _, begin := range []float64{0, 0.05, 0.5, 0.95} {
		var exact, coarse activity
		for n := range 80 {
			at := 1e12 + 1000*(begin+float64(n)/10)
			exact.add(at, 1)
			coarse.add(1000*math.Floor(at/1000), 1)
		}
		if got := exact.length(false); math.Abs(got-7900) > 1 {
			t.Errorf("begin %v: %v ms", begin, got)
		}
		if got := coarse.length(true); math.Abs(got/8000-1) > 0.05 {
			t.Errorf("begin %v, whole seconds: %v ms", begin, got)
		}
	}
	var a activity
	for _, at := range []float64{0, math.NaN(), 100_000, 130_000, 60_000, 59_000, 70_000} {
		a.add(at, 1)
	}
	if a.back != 1 || a.length(false) != 41_000 || a.length(true) != 41_000 {
		t.Errorf("back %d times, %v ms", a.back, a.length(false))
	}
}
