// Package interleave decides which arm has its turn: a pure function of time.
//
// In a round of slices all servers are up at once and take turns many times a
// second, in complete cycles whose order is drawn again (randomised complete
// blocks). Whoever knows the schedule and the common start knows who is on: load
// generators, freezers and probes need no messages.
package interleave

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Slices are the lengths of a turn's parts, one after the other: Guard, in which
// the server before is frozen and the next is thawed; LeadIn, in which load is
// offered and not counted, so that what the layers remember becomes that of a
// server under constant load; Slice, which is counted; and Drain, in which nothing
// begins and what is under way may end.
type Slices struct {
	Guard  time.Duration `json:"guard_ns"`
	LeadIn time.Duration `json:"lead_in_ns"`
	Slice  time.Duration `json:"slice_ns"`
	Drain  time.Duration `json:"drain_ns"`
	// Warmup cycles come first and are not counted, Cycles are.
	Warmup int `json:"warmup_cycles"`
	Cycles int `json:"cycles"`
	// Idle: servers are not frozen between their turns, they only have no load.
	Idle bool `json:"idle,omitempty"`
	// Exact: a server runs only while its load is offered. It is thawed after the guard, and nothing drains. The
	// queue of an open loop, which guard and drain would shorten, is then at the beginning of a turn what it was at
	// the end of the one before.
	Exact bool `json:"exact,omitempty"`
	// ExactAtRate: the turns of the window at a fixed rate are exact. Older records have guard and drain there.
	ExactAtRate bool `json:"exact_at_rate,omitempty"`
}

// Exactly are the same lengths without a drain, of servers that run only while their load is offered.
func (s Slices) Exactly() Slices {
	s.Drain, s.Exact = 0, true
	return s
}

// Turn is the length of a whole turn.
func (s Slices) Turn() time.Duration { return s.Guard + s.LeadIn + s.Slice + s.Drain }

// Load is how long a turn offers load.
func (s Slices) Load() time.Duration { return s.LeadIn + s.Slice }

// Length is how long a round of so many cells takes, from its common start.
func (s Slices) Length(cells int) time.Duration {
	return time.Duration((s.Warmup+s.Cycles)*cells) * s.Turn()
}

// Counted is what is counted of each cell in a round.
func (s Slices) Counted() time.Duration { return time.Duration(s.Cycles) * s.Slice }

// Uncounted are the bounds of the transactions that end outside of the counted parts, per
// transaction that ends in one, of a server that works while it is on and at no other time: at
// least the lead-in has as many a second as the slice, and at most the guard and the drain have
// as well, in which transactions that began earlier end.
func (s Slices) Uncounted() (least, most float64) {
	slice := s.Slice.Seconds()
	return s.LeadIn.Seconds() / slice, (s.Guard + s.LeadIn + s.Drain).Seconds() / slice
}

// Check says what is impossible.
func (s Slices) Check() error {
	switch {
	case s.Guard < 0 || s.LeadIn < 0 || s.Drain < 0 || s.Guard > time.Minute || s.LeadIn > time.Minute || s.Drain > time.Minute:
		return errors.New("guard, lead-in and drain of a slice are between 0 and a minute")
	case s.Slice < time.Millisecond || s.Slice > time.Hour:
		return fmt.Errorf("a slice of %v is not between a millisecond and an hour", s.Slice)
	case s.Exact && (s.Drain > 0 || s.Idle):
		return errors.New("servers that run only while their load is offered are frozen between their turns, and have no drain")
	case s.Cycles < 1 || s.Warmup < 0 || s.Cycles > 1e6 || s.Warmup > 1e6:
		return fmt.Errorf("%d cycles after %d of warm-up: at least one is counted", s.Cycles, s.Warmup)
	}
	return nil
}

// Schedule is that of one round: cells 0 to Cells-1 take turns.
type Schedule struct {
	Slices
	Seed  uint64 `json:"seed"`
	Round int    `json:"round"`
	Cells int    `json:"cells"`
	// AtRate is the second schedule of a round: its orders are other ones.
	AtRate bool `json:"at_rate,omitempty"`
	// Step is the number of a step of a search for the capacity, from 1: each has orders of its own; 0 for none.
	Step int `json:"step,omitempty"`
}

// Turns is the number of turns of each cell.
func (s Schedule) Turns() int { return s.Warmup + s.Cycles }

// End is when the last turn ends, counted from the common start.
func (s Schedule) End() time.Duration { return s.Length(s.Cells) }

// Order is who has the turns of a cycle, one cell after the other. Every cycle
// holds every cell once. It has a generator of its own, so that no cycle depends
// on another.
func (s Schedule) Order(cycle int) []int {
	stream := uint64(1) << 48
	if s.AtRate {
		stream <<= 1
	}
	stream += uint64(s.Step) << 36
	return rand.New(rand.NewPCG(s.Seed, stream+uint64(s.Round)<<24+uint64(cycle))).Perm(s.Cells)
}

// At is who is on at a time since the common start: the cell, the number of its
// turn, and when that began. ok is false before the start and after the end.
func (s Schedule) At(t time.Duration) (cell, turn int, began time.Duration, ok bool) {
	if t < 0 || t >= s.End() {
		return 0, 0, 0, false
	}
	k := int(t / s.Turn())
	turn = k / s.Cells
	return s.Order(turn)[k%s.Cells], turn, time.Duration(k) * s.Turn(), true
}

// Begin is when a cell's turn begins, its guard first, counted from the common start.
func (s Schedule) Begin(cell, turn int) time.Duration {
	for place, c := range s.Order(turn) {
		if c == cell {
			return time.Duration(turn*s.Cells+place) * s.Turn()
		}
	}
	return s.End() // a cell that has no turns
}

// Own is how much of a cell's own time has passed after a number of its turns: the
// whole load of the warm-up's, and what was counted of the others.
func (s Slices) Own(turns int) time.Duration {
	warm := min(turns, s.Warmup)
	return time.Duration(warm)*s.Load() + time.Duration(turns-warm)*s.Slice
}
