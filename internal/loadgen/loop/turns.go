package loop

import (
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

// Turns make a job one of several that take turns: it offers load while it is on
// and nothing otherwise. Everything the loop times is then in the job's own time,
// which stands still while the job is off: latencies, back-offs and the due times of
// an open loop.
type Turns struct {
	Schedule interleave.Schedule
	// Cell is the job's number in the schedule.
	Cell int
	// Begin is called once, when all connections are there, and returns the start
	// that all jobs have in common.
	Begin func() (time.Time, error)
}

// stretch is what of the job's own time a turn is in the series.
func (t *Turns) stretch(turn int) (end, length time.Duration, warmup bool) {
	end = t.Schedule.Own(turn + 1)
	return end, end - t.Schedule.Own(turn), turn < t.Schedule.Warmup
}

// part of a turn.
type part uint8

const (
	off      part = iota // nothing begins
	leading              // load that is not counted
	counting             // load that is
)

// turns is where a loop is in its job's turns. Times are nanoseconds: real ones since
// the common start, own ones of the job.
type turns struct {
	*Turns
	part   part
	number int   // of the current turn, -1 before the first
	load   int64 // a turn's own time
	begun  int64 // real: the load of the current turn
	next   int64 // real: the load of the next turn
	over   int64 // real: nothing of a load that has ended is waited for any longer
	slices int   // counted to their end
	// window and series take what is counted, aside what is not.
	window, series, aside *Tally
}

func newTurns(t *Turns, window, series, aside *Tally) *turns {
	n := &turns{Turns: t, number: -1, load: int64(t.Schedule.Load()), window: window, series: series, aside: aside}
	n.next = n.begin(0)
	return n
}

// begin is when the load of a turn begins.
func (t *turns) begin(turn int) int64 {
	if turn >= t.Schedule.Turns() {
		return forever
	}
	return int64(t.Schedule.Begin(t.Cell, turn) + t.Schedule.Guard)
}

// own is the job's own time at a real one of the current turn or of the time until
// the next.
func (t *turns) own(real int64) int64 {
	if t.number < 0 {
		return 0
	}
	return int64(t.number)*t.load + min(max(real-t.begun, 0), t.load)
}

// end is when the current part of a turn that is on ends, in own time.
func (t *turns) end() int64 {
	start := int64(t.number) * t.load
	if t.part == leading {
		return start + int64(t.Schedule.LeadIn)
	}
	return start + t.load
}

func (t *turns) warmup() bool { return t.number < t.Schedule.Warmup }

// resting says that it is not the loop's turn.
func (l *Loop) resting() bool { return l.turns != nil && l.turns.part == off }

// real is the time since the start.
func (l *Loop) real() int64 { return int64(time.Since(l.base)) }

// takeTurn closes the parts of turns that have ended.
func (l *Loop) takeTurn() {
	t := l.turns
	for {
		switch {
		case t.part == off && l.real() >= t.next:
			l.beginTurn()
		case t.part == leading && l.now >= t.end():
			l.beginSlice()
		case t.part == counting && l.now >= t.end():
			l.endTurn()
		default:
			return
		}
	}
}

// beginTurn begins the load. What is under way from the turn before has not aged.
func (l *Loop) beginTurn() {
	t := l.turns
	t.number++
	t.begun, t.next, t.part = t.next, t.begin(t.number+1), leading
	l.wall = 0 // the clocks have gone apart meanwhile
	l.now = l.clock()
	l.compareClocks()
	if t.number == 0 {
		l.phase = warming
		if !l.open {
			l.late = l.real() - t.begun
		}
	}
	if t.number == t.Schedule.Warmup {
		l.phase, l.measures = measuring, true
		t.window.reset()
		l.tail.reset() // of what ended after the turns of the warm-up
	}
	if !t.warmup() {
		l.own.begin(l.contention.total(l.now))
	}
	l.window, l.series = l.tail, t.aside
	if t.warmup() {
		l.window, l.series = t.window, t.series
	}
	if l.open {
		return
	}
	for _, c := range l.conns {
		if c.state == resting && c.wire != nil {
			l.start(c)
		}
	}
}

func (l *Loop) beginSlice() {
	t := l.turns
	if l.open {
		l.fall(t.end() - 1)
	}
	t.part = counting
	l.window, l.series = t.window, t.series
}

// endTurn ends the load: what is under way may end, which is not counted.
func (l *Loop) endTurn() {
	t := l.turns
	if l.open {
		l.fall(t.end() - 1)
	}
	if l.own.end(l.contention.total(l.now)); !t.warmup() {
		t.slices++
	}
	l.handOver(int64(t.number))
	t.part, t.series = off, l.series
	l.window, l.series = l.tail, t.aside
	if t.next == forever {
		l.enter(draining)
	}
}

// endTurns ends the turns for good.
func (l *Loop) endTurns() {
	t := l.turns
	t.part, t.next = off, forever
	t.over = l.real() + int64(t.Schedule.Drain)
}

// patience is how long to wait for events, in real time.
func (l *Loop) patience() int64 {
	t := l.turns
	switch {
	case t == nil:
		return l.next() - l.clock()
	case l.phase == draining:
		return t.over - l.real()
	case t.part == off:
		return t.next - l.real()
	}
	return min(l.next(), t.end()) - l.clock()
}
