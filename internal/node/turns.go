package node

// A neighbour whose server takes turns with others works in the turns of that server alone. It is not switched: each
// of its threads computes from the schedule and the common start when it may work, as load generators do.

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Turns are those of the server that a neighbour is beside.
type Turns struct {
	Schedule interleave.Schedule `json:"schedule"`
	Cell     int                 `json:"cell"`
}

// span is the part of turn number n in which a neighbour works, counted from the common start: from the end of the
// guard, when load is offered, to the end of the turn. So the lead-in, which covers the start of the load, covers the
// neighbour's as well, and it still works while the last transactions drain.
func (t Turns) span(n int) (from, to time.Duration) {
	began := t.Schedule.Begin(t.Cell, n)
	return began + t.Schedule.Guard, began + t.Schedule.Turn()
}

// Follower is the state of a neighbour in turns: all of its threads wait by it.
type Follower struct {
	turns Turns
	begin time.Time

	mu     sync.Mutex
	worked map[int]bool // turns in which a thread worked
	late   time.Duration
}

// pace is one thread's place in the turns; the zero value is of a neighbour that works all the time.
type pace struct {
	of       *Follower
	n        int // of the next turn
	from, to time.Time
}

// due is when the thread works next, now or later; false after the last turn.
func (p *pace) due(now time.Time) (from time.Time, ok bool) {
	if p.of == nil {
		return now, true
	}
	for !now.Before(p.to) {
		if p.n >= p.of.turns.Schedule.Turns() {
			return time.Time{}, false
		}
		from, to := p.of.turns.span(p.n)
		p.from, p.to = p.of.begin.Add(from), p.of.begin.Add(to)
		p.n++
	}
	if now.Before(p.from) {
		return p.from, true
	}
	return now, true
}

// woken counts a turn that a thread began to work in at a time.
func (p *pace) woken(at time.Time) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.of.worked[p.n-1] = true
	p.of.late = max(p.of.late, at.Sub(p.from))
}

// Followed is what became of the turns, as the last line that a neighbour in turns prints.
type Followed struct {
	Turns  int     `json:"turns"`   // in which it worked
	LateMS float64 `json:"late_ms"` // the most by which a thread began later than its turn
}

// Facts are the same as facts.
func (f Followed) Facts(source string) []record.Fact {
	return []record.Fact{
		{Key: keys.NeighbourTurns, Value: strconv.Itoa(f.Turns), Source: source},
		{Key: keys.NeighbourLateMS, Value: strconv.FormatFloat(f.LateMS, 'f', 3, 64), Source: source},
	}
}

func (f *Follower) followed() Followed {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Followed{len(f.worked), f.late.Seconds() * 1000}
}

// end is when the last turn of all cells ends.
func (f *Follower) end() time.Time { return f.begin.Add(f.turns.Schedule.End()) }

// BeginLine is what the process of a neighbour in turns is told once the common start is known: how long it is until
// then, by the monotonic clock.
func BeginLine(at time.Time) string { return fmt.Sprintf("begin in %d\n", time.Until(at)) }

func parseBegin(line string, now time.Time) (time.Time, error) {
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "begin in ")
	left, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil {
		return time.Time{}, fmt.Errorf("read when the turns begin: %.40q is not `begin in NANOSECONDS`", line)
	}
	return now.Add(time.Duration(left)), nil
}
