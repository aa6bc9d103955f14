package loop

import "time"

// The kernel stamps packets by the wall clock, which can be set while a load runs.

// compareClocks notes how far the wall clock, by which the kernel stamps packets,
// is from ours. time.Now reads both one after the other. NTP slews by 500 ppm at
// most (adjtimex(2)): 25 us in the time between two comparisons would be a lot,
// very most.
func (l *Loop) compareClocks() {
	const every = int64(20 * time.Millisecond)
	if l.now-l.wallAt < every && l.wall != 0 {
		return
	}
	t := time.Now()
	l.wallAt = l.now
	l.wall = t.UnixNano() - int64(t.Sub(l.base))
}

// arrival is the time of a kernel's stamp by our clock. Where there is none, or
// the wall clock was set back in between, it is when the batch of events was there. What
// came after that has come by now: a later stamp says that the wall clock was set forward.
// The clock is read for stamps alone that are later by more than a batch takes.
func (l *Loop) arrival(stamp, sent int64) int64 {
	at := stamp - l.wall
	if l.turns != nil {
		at = l.turns.own(at)
	}
	if stamp == 0 || at < sent {
		return l.now
	}
	if at > l.now+int64(time.Millisecond) {
		return min(at, l.clock())
	}
	return at
}
