package loop

import "testing"

// TestGathering: a loop rests where answers come alone, does not where they gather by themselves, and finds out when
// that changes.
func TestGathering(t *testing.T) {
	var g gathering
	share := func(alone, waits int) float64 {
		rests := 0
		for range waits {
			if g.needsRest() {
				rests++
			} else {
				g.found(alone)
			}
		}
		return float64(rests) / float64(waits)
	}
	for _, c := range []struct {
		alone       int // answers that a wait without a rest finds
		least, most float64
	}{{1, 0.93, 0.94}, {12, 0, 0}, {2, 0.93, 0.94}, {0, 0.93, 0.94}} {
		share(c.alone, 400) // it takes some waits to find out
		if got := share(c.alone, 1600); got < c.least || got > c.most {
			t.Errorf("rests before %.2f of the waits that find %d answers by themselves", got, c.alone)
		}
	}
}
