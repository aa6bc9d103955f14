package node

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

func followed() Turns {
	return Turns{Cell: 1, Schedule: interleave.Schedule{
		Slices: interleave.Slices{Guard: 10 * time.Millisecond, LeadIn: 200 * time.Millisecond, Slice: 300 * time.Millisecond, Drain: 20 * time.Millisecond, Warmup: 2, Cycles: 20},
		Seed:   7, Round: 3, Cells: 3,
	}}
}

// TestNeighbourKeepsItsTurns: a thread that asks at every millisecond of a round works in the turns of its server, after
// their guard, and at no other time; after the last one it ends.
func TestNeighbourKeepsItsTurns(t *testing.T) {
	turns, begin := followed(), time.Unix(1000, 0)
	f := &Follower{turns: turns, begin: begin, worked: map[int]bool{}}
	p := pace{of: f}
	worked := 0
	for at := -time.Second; at < turns.Schedule.End()+time.Second; at += time.Millisecond {
		now := begin.Add(at)
		from, ok := p.due(now)
		cell, _, began, running := turns.Schedule.At(at)
		want := running && cell == turns.Cell && at >= began+turns.Schedule.Guard
		if works := ok && !from.After(now); works != want {
			t.Fatalf("at %v it works: %v; on is cell %d since %v", at, works, cell, began)
		}
		if want {
			worked++
		}
		if ok && from.After(now) {
			if cell, _, began, _ := turns.Schedule.At(from.Sub(begin)); cell != turns.Cell || from.Sub(begin) != began+turns.Schedule.Guard {
				t.Fatalf("at %v it waits until %v, which is no turn of its own", at, from.Sub(begin))
			}
		}
	}
	if want := 22 * 520; worked != want {
		t.Errorf("it worked for %d ms, want %d", worked, want)
	}
	if _, ok := p.due(begin.Add(turns.Schedule.End())); ok {
		t.Error("it works after the last turn")
	}
}

// TestNeighbourThatWakesLate: a thread that gets no CPU for two of its turns works in the next, and its lateness counts.
func TestNeighbourThatWakesLate(t *testing.T) {
	turns, begin := followed(), time.Unix(1000, 0)
	f := &Follower{turns: turns, begin: begin, worked: map[int]bool{}}
	p := pace{of: f}
	from, _ := turns.span(2)
	if at, ok := p.due(begin.Add(from + 50*time.Millisecond)); !ok || !at.Equal(begin.Add(from+50*time.Millisecond)) {
		t.Fatalf("it does not work in turn 2: %v, %v", at, ok)
	}
	p.woken(begin.Add(from + 50*time.Millisecond))
	if got := f.followed(); got != (Followed{Turns: 1, LateMS: 50}) {
		t.Errorf("%+v", got)
	}
}

// TestBeginLine: what is left until the first turn is counted from when the line came.
func TestBeginLine(t *testing.T) {
	now := time.Now()
	at, err := parseBegin(BeginLine(now.Add(3*time.Second)), now)
	if late := now.Add(3 * time.Second).Sub(at); err != nil || late < 0 || late > time.Second {
		t.Errorf("%v, %v", late, err)
	}
	for _, bad := range []string{"", "begin\n", "begin in x\n", "begin in 1 s\n"} {
		if _, err := parseBegin(bad, now); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
