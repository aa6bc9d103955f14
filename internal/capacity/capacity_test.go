package capacity

import (
	"math"
	"testing"
)

// carryOut searches with a server that keeps every rate below its capacity.
func carryOut(first, within, truth float64) (*Search, int) {
	s, n := New(first, within), 0
	for {
		rate, more := s.Next()
		if !more {
			return s, n
		}
		s.Answer(rate < truth)
		n++
	}
}

func TestSearchEndsWithinItsResolution(t *testing.T) {
	for _, within := range []float64{0.01, 0.05, 0.2} {
		for _, first := range []float64{3, 700, 1000, 1001, 40_000} {
			s, n := carryOut(first, within, 1000)
			if off := math.Abs(math.Log(s.Result() / 1000)); off > math.Log(1+within) {
				t.Errorf("from %g within %g: %g is %.3f off", first, within, s.Result(), off)
			}
			if n > 40 {
				t.Errorf("from %g within %g: %d steps", first, within, n)
			}
			if low, high := Between(s.steps); low >= 1000 || high < 1000 || high/low > 1.0001*(1+within)*(1+within) {
				t.Errorf("from %g within %g: between %g and %g", first, within, low, high)
			}
		}
	}
}

// A server that keeps no rate, or all of them, has no capacity, and the search ends.
func TestSearchWithoutResult(t *testing.T) {
	for _, truth := range []float64{0, math.Inf(1)} {
		if s, n := carryOut(1000, 0.05, truth); s.Result() != 0 || n != mostBracket {
			t.Errorf("capacity %g: %g after %d steps", truth, s.Result(), n)
		}
	}
}

// One step that is decided wrongly while bracketing does not decide the result, which it
// does in a bisection.
func TestSearchReturnsFromAWrongStep(t *testing.T) {
	s, n := New(800, 0.05), 0
	for {
		rate, more := s.Next()
		if !more {
			break
		}
		s.Answer(rate < 1000 && n != 0) // the first step, at 80 %, meets a stall
		n++
	}
	if off := s.Result()/1000 - 1; math.Abs(off) > 0.12 {
		t.Errorf("%g: %.0f %% off", s.Result(), 100*off)
	}
	if low, high := Between(s.steps); low >= 800 || high < 1000 {
		t.Errorf("between %g and %g", low, high)
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		steps     []Step
		low, high float64
	}{
		{nil, 0, math.Inf(1)},
		{[]Step{{100, true}, {200, false}}, 100, 200},
		{[]Step{{100, true}, {150, false}, {170, true}, {200, false}}, 100, 200},
		{[]Step{{100, false}, {150, true}}, 0, math.Inf(1)},
		{[]Step{{100, true}, {100, false}, {200, false}}, 0, 200},
	} {
		if low, high := Between(c.steps); low != c.low || high != c.high {
			t.Errorf("%v: %g, %g; want %g, %g", c.steps, low, high, c.low, c.high)
		}
	}
}
