package interleave

import (
	"math"
	"slices"
	"testing"
	"time"
)

func schedule() Schedule {
	return Schedule{
		Slices: Slices{Guard: 10 * time.Millisecond, LeadIn: 200 * time.Millisecond, Slice: 300 * time.Millisecond, Drain: 20 * time.Millisecond, Warmup: 4, Cycles: 20},
		Seed:   7, Round: 3, Cells: 5,
	}
}

// TestCyclesAreComplete: in every cycle every cell has one turn, one at a time, and
// Begin and At say the same.
func TestCyclesAreComplete(t *testing.T) {
	s := schedule()
	for turn := range s.Turns() {
		var on []int
		for place := range s.Cells {
			from := time.Duration(turn*s.Cells+place) * s.Turn()
			cell, number, began, ok := s.At(from)
			last, _, _, _ := s.At(from + s.Turn() - 1)
			if !ok || number != turn || began != from || last != cell || s.Begin(cell, turn) != from {
				t.Fatalf("turn %d, place %d: cell %d (%d at its end), number %d, began %v", turn, place, cell, last, number, began)
			}
			on = append(on, cell)
		}
		if slices.Sort(on); !slices.Equal(on, []int{0, 1, 2, 3, 4}) {
			t.Errorf("cycle %d has the cells %v", turn, on)
		}
	}
	if _, _, _, ok := s.At(s.End()); ok {
		t.Error("someone is on after the end")
	}
	if _, _, _, ok := s.At(-1); ok {
		t.Error("someone is on before the start")
	}
}

// TestOrderIsFair: every cell stands in every place, and follows every other,
// equally often. Chi-square with 16 degrees of freedom; 39.3 is its 0.999 quantile.
// The control shows that the test can fail: one order for all cycles does.
func TestOrderIsFair(t *testing.T) {
	const cycles = 5000
	chi := func(order func(cycle int) []int) float64 {
		var counts [5][5]float64
		for c := range cycles {
			for place, cell := range order(c) {
				counts[cell][place]++
			}
		}
		sum := 0.0
		for _, row := range counts {
			for _, n := range row {
				sum += math.Pow(n-cycles/5, 2) / (cycles / 5)
			}
		}
		return sum
	}
	s := schedule()
	if x := chi(s.Order); x > 39.3 {
		t.Errorf("chi-square %.1f", x)
	}
	if x := chi(func(int) []int { return s.Order(0) }); x < 39.3 {
		t.Errorf("one order for all cycles passes with %.1f", x)
	}
	other := s
	other.Round++
	if slices.Equal(s.Order(1), other.Order(1)) && slices.Equal(s.Order(2), other.Order(2)) && slices.Equal(s.Order(3), other.Order(3)) {
		t.Error("two rounds have the same orders")
	}
}

// TestLengths: a cell's own time is its warm-up's load and what was counted.
func TestLengths(t *testing.T) {
	s := schedule()
	if got := s.Own(4); got != 2*time.Second {
		t.Errorf("own time after the warm-up is %v", got)
	}
	if got := s.Own(24); got != 8*time.Second || s.Counted() != 6*time.Second {
		t.Errorf("own time at the end is %v, counted %v", got, s.Counted())
	}
	if got := s.End(); got != 24*5*530*time.Millisecond {
		t.Errorf("the round takes %v", got)
	}
	for _, bad := range []Slices{{Slice: 0, Cycles: 1}, {Slice: time.Second}, {Slice: time.Second, Cycles: 1, LeadIn: -1}, {Slice: 2 * time.Hour, Cycles: 1}} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if exact := s.Exactly(); exact.Check() != nil || exact.Load() != s.Load() || exact.Turn() != s.Turn()-s.Drain {
		t.Errorf("%+v: %v", exact, exact.Check())
	}
	if (Slices{Slice: time.Second, Cycles: 1, Exact: true, Drain: 1}).Check() == nil || (Slices{Slice: time.Second, Cycles: 1, Exact: true, Idle: true}).Check() == nil {
		t.Error("exact slices with a drain, or of idle servers, are accepted")
	}
}
