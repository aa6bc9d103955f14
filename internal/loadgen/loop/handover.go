package loop

import "time"

// handover is one loop's counts of one step.
type handover struct {
	loop  *Loop
	end   int64
	tally *Tally
	busy  int
	queue int64
}

// Interval is one step of the series, of all loops together.
type Interval struct {
	End, Length time.Duration
	Warmup      bool
	// Turn is the number of the turn, from 1, of a job that takes turns; 0 otherwise.
	Turn int
	// Busy are connections with a transaction under way, Queue the arrivals that
	// wait for one.
	Busy  int
	Queue int64
	*Tally
}

// handOver gives the counts of the step that ends at end away and begins the next with
// empty ones. It never waits: when the reader is behind, a new tally is made.
func (l *Loop) handOver(end int64) {
	h := handover{loop: l, end: end, tally: l.series, busy: l.busy, queue: l.waitingArrivals()}
	select {
	case l.series = <-l.spare:
	default:
		l.series = newTally(0, l.open)
	}
	l.handed <- h
}

// step is how long a loop counts for itself, and how many steps an interval has: it
// hands over once a second or more often, whatever the interval, because what is slow
// is known from the steps before.
func (j *Job) step() (length time.Duration, of int) {
	if j.Interval <= 0 {
		return time.Second, 1
	}
	of = int((j.Interval + time.Second - 1) / time.Second)
	return j.Interval / time.Duration(of), of
}

// within is the end of a step of the series, and forever for one after the window: the series
// does not contain what is answered while the loop waits for the last transactions.
func (j *Job) within(end int64) int64 {
	if j.Time > 0 && end > int64(j.Warmup+j.Time) {
		return forever
	}
	return end
}

// gather merges the loops' steps, tells the loops what is slow by them, and shows the
// intervals in order.
func gather(j *Job, loops int, handed <-chan handover, slow *threshold, show func(Interval)) {
	length, of := j.step()
	sum := newTally(0, j.Arrivals != nil)
	i := Interval{Length: j.Interval, Tally: sum}
	if of > 1 {
		i.Tally = newTally(0, j.Arrivals != nil)
	}
	pending, steps := map[int64][]handover{}, 0
	for h := range handed {
		pending[h.end] = append(pending[h.end], h)
		if len(pending[h.end]) < loops {
			continue
		}
		i.Busy, i.Queue = 0, 0
		for _, part := range pending[h.end] {
			i.Busy += part.busy
			i.Queue += part.queue
			part.addTo(sum)
		}
		delete(pending, h.end)
		if j.Turns != nil {
			i.ofTurn(j.Turns, int(h.end))
			slow.learn(sum.Latency, i.Warmup)
			show(i)
			sum.reset()
			continue
		}
		slow.learn(sum.Latency, time.Duration(h.end)-length/2 < j.Warmup)
		if of > 1 {
			i.Merge(sum)
			sum.reset()
		}
		if steps++; steps%of == 0 {
			i.show(j, show)
		}
	}
}

// show shows an interval that has ended, if there is one to show, and begins the next.
func (i *Interval) show(j *Job, show func(Interval)) {
	i.End += j.Interval
	i.Warmup = i.End-i.Length < j.Warmup
	if j.Interval > 0 {
		show(*i)
	}
	i.reset()
}

// ofTurn makes i the interval of a turn.
func (i *Interval) ofTurn(t *Turns, turn int) {
	i.Turn = turn + 1
	i.End, i.Length, i.Warmup = t.stretch(turn)
}

// addTo adds a loop's counts to those of all and gives the loop its tally back.
func (h handover) addTo(sum *Tally) {
	sum.Merge(h.tally)
	h.tally.reset()
	select {
	case h.loop.spare <- h.tally:
	default:
	}
}
