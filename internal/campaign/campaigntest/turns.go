package campaigntest

// This file simulates the transactions of a server that is frozen between its turns, one by one: how
// many a run by slices counts is known beside how many the server completes under constant load.

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// Served is a server under a closed loop whose next transaction begins when one has ended.
type Served struct {
	Connections int
	// Steps are those of a transaction, one after the other. Length draws what a step needs, in
	// seconds, and Mean is its mean.
	Steps  int
	Length func(rng *rand.Rand) float64
	Mean   float64
	// CPUs are what the steps under way share; 0 where none waits for another.
	CPUs float64
	// InTurn: a device serves one step after the other, and so many steps more after each transaction, for which no
	// connection waits: pages that are flushed.
	InTurn  bool
	Flushed int
	// Unsteady is the standard deviation of the logarithm of the machine's speed, which changes with
	// every part of a turn.
	Unsteady float64
	// GoesOn: a step that is under way goes on while the server is frozen, as a request to a device
	// does. Its end is seen when the server is thawed.
	GoesOn bool
}

// Rate is the transactions per second under constant load. The connections keep the CPUs, or the
// device, at work.
func (s Served) Rate() float64 {
	switch {
	case s.InTurn:
		return 1 / (s.Mean * float64(s.Steps+s.Flushed))
	case s.CPUs > 0:
		return math.Min(s.CPUs, float64(s.Connections)) / (s.Mean * float64(s.Steps))
	}
	return float64(s.Connections) / (s.Mean * float64(s.Steps))
}

// Counted is what a trial by slices has of a server: the transactions of each counted turn, those that
// ended outside of the slices, and their durations in the server's own time.
type Counted struct {
	Turns     []int
	Uncounted int
	Durations *record.Histogram
}

// Trial is one of so many cells that take turns in random order.
func (s Served) Trial(rng *rand.Rand, lengths interleave.Slices, cells int) Counted {
	l := &servedLoop{Served: s, rng: rng, of: make([]transaction, s.Connections), speed: 1}
	durations := map[int64]int64{}
	guard, lead := lengths.Guard.Seconds(), lengths.LeadIn.Seconds()
	slice, drain := lengths.Slice.Seconds(), lengths.Drain.Seconds()
	var all Counted
	for turn := range lengths.Warmup + lengths.Cycles {
		begin := float64(turn*cells+rng.IntN(cells)) * lengths.Turn().Seconds()
		load := begin + guard
		l.own, l.load = float64(turn)*lengths.Load().Seconds(), load
		l.length = lengths.Load().Seconds()
		count := func(seen []float64) {
			if turn >= lengths.Warmup {
				all.Uncounted += len(seen)
			}
		}
		l.run(begin+guard/2, false, false) // frozen
		count(l.thaw())
		count(l.run(load, true, false))
		l.beginAll()
		l.changeSpeed()
		count(l.run(load+lead, true, true))
		l.changeSpeed()
		seen := l.run(load+lead+slice, true, true)
		if turn >= lengths.Warmup {
			all.Turns = append(all.Turns, len(seen))
			for _, d := range seen {
				durations[int64(d*float64(time.Second))/int64(time.Millisecond)*int64(time.Millisecond)]++
			}
		}
		count(l.run(load+lead+slice+drain+guard/2, true, false)) // frozen in the next one's guard
	}
	all.Durations = &record.Histogram{Scheme: "simulated"}
	for _, d := range slices.Sorted(maps.Keys(durations)) {
		all.Durations.Counts = append(all.Durations.Counts, [2]int64{d, durations[d]})
	}
	return all
}

// Into gives a trial of the record what was counted.
func (c Counted) Into(t *record.Trial, lengths interleave.Slices) {
	n := int64(0)
	t.Intervals = nil
	for i, in := range c.Turns {
		n += int64(in)
		t.Intervals = append(t.Intervals, record.Interval{
			End: lengths.Slice.Seconds() * float64(i+1), Length: lengths.Slice.Seconds(), Threads: t.Header.Threads,
			Transactions: float64(in) / lengths.Slice.Seconds(), Turn: lengths.Warmup + i + 1,
		})
	}
	t.Window.Seconds, t.Window.Counts = lengths.Counted().Seconds(), record.Counts{Transactions: n, Reads: 14 * n, Other: 2 * n}
	t.Window.Uncounted, t.Window.Latency.Histogram = int64(c.Uncounted), c.Durations
}

// servedLoop is where the transactions of a server are.
type servedLoop struct {
	Served
	rng          *rand.Rand
	now          float64 // real
	speed        float64
	of           []transaction
	under        []*step // way, in the order in which they began
	own          float64 // own time at load
	load, length float64
}

// transaction is a connection's. Steps is how many are left, 0 for none, and begun when it began, in own time.
type transaction struct {
	steps int
	begun float64
	// halted: a step has ended while the server was frozen.
	halted bool
}

// step needs so much more. of is the transaction, nil where no connection waits for it.
type step struct {
	left float64
	of   *transaction
}

// changeSpeed keeps the mean speed at 1.
func (l *servedLoop) changeSpeed() {
	l.speed = math.Exp(l.Unsteady*l.rng.NormFloat64() - l.Unsteady*l.Unsteady/2)
}

// ownNow is the server's own time, which stands still while it has no load.
func (l *servedLoop) ownNow() float64 { return l.own + math.Max(0, math.Min(l.now-l.load, l.length)) }

func (l *servedLoop) beginAll() {
	for i := range l.of {
		if l.of[i].steps == 0 {
			l.begin(&l.of[i])
		}
	}
}

func (l *servedLoop) begin(t *transaction) {
	t.steps, t.begun = l.Steps, l.ownNow()
	l.put(t)
}

func (l *servedLoop) put(t *transaction) { l.under = append(l.under, &step{l.Length(l.rng), t}) }

// thaw continues what was halted, and returns the durations of the transactions that have ended.
func (l *servedLoop) thaw() (seen []float64) {
	for i := range l.of {
		if t := &l.of[i]; t.halted {
			t.halted = false
			seen = append(seen, l.ended(t, false)...)
		}
	}
	return seen
}

// ended is the end of a step of a transaction: its duration where it was the last.
func (l *servedLoop) ended(t *transaction, loaded bool) []float64 {
	if t.steps--; t.steps > 0 {
		l.put(t)
		return nil
	}
	took := l.ownNow() - t.begun
	for range l.Flushed {
		l.put(nil)
	}
	if loaded {
		l.begin(t)
	}
	return []float64{took}
}

// next is the step that ends next, and what each under way gets of a second of work until then.
func (l *servedLoop) next() (first int, rate float64) {
	rate = l.speed
	if l.InTurn {
		return 0, rate
	}
	if l.CPUs > 0 {
		rate *= math.Min(1, l.CPUs/float64(len(l.under)))
	}
	for i, s := range l.under {
		if s.left < l.under[first].left {
			first = i
		}
	}
	return first, rate
}

// run lets real time pass, and returns the durations of what was seen to end. on: the server is not
// frozen. loaded: a connection whose transaction has ended begins the next one.
func (l *servedLoop) run(until float64, on, loaded bool) (seen []float64) {
	for len(l.under) > 0 && (on || l.GoesOn) {
		first, rate := l.next()
		passes := l.under[first].left / rate
		ends := passes <= until-l.now
		if !ends {
			passes = until - l.now
		}
		l.now += passes
		for i, s := range l.under {
			if !l.InTurn || i == first {
				s.left -= passes * rate
			}
		}
		if !ends {
			return seen
		}
		t := l.under[first].of
		l.under = slices.Delete(l.under, first, first+1)
		switch {
		case t == nil:
		case on:
			seen = append(seen, l.ended(t, loaded)...)
		default:
			t.halted = true
		}
	}
	l.now = until
	return seen
}
