package loop

import "time"

// handover is one loop's counts of one interval.
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
	// Busy are connections with a transaction under way, Queue the arrivals that
	// wait for one.
	Busy  int
	Queue int64
	*Tally
}

// handOver gives the interval's counts away and begins the next with empty ones.
// It never waits: when the reader is behind, a new tally is made.
func (l *Loop) handOver() {
	h := handover{loop: l, end: l.boundary, tally: l.series, busy: l.busy, queue: l.arrivals.queue}
	select {
	case l.series = <-l.spare:
	default:
		l.series = newTally(0, l.open)
	}
	l.handed <- h
	l.boundary += int64(l.job.Interval)
}

// gather merges the loops' intervals and shows them in order.
func gather(j *Job, loops int, handed <-chan handover, show func(Interval)) {
	sum := newTally(0, j.Arrivals != nil)
	pending := map[int64][]handover{}
	for h := range handed {
		pending[h.end] = append(pending[h.end], h)
		if len(pending[h.end]) < loops {
			continue
		}
		i := Interval{End: time.Duration(h.end), Length: j.Interval, Tally: sum}
		i.Warmup = i.End-i.Length < j.Warmup
		for _, part := range pending[h.end] {
			sum.Merge(part.tally)
			i.Busy += part.busy
			i.Queue += part.queue
			part.tally.reset()
			select {
			case part.loop.spare <- part.tally:
			default:
			}
		}
		delete(pending, h.end)
		show(i)
		sum.reset()
	}
}
