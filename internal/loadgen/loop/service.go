package loop

import "time"

// Outage is a time without service: from the first failure after a success to the
// next success.
type Outage struct {
	FirstFailure time.Duration // since the load began
	FirstSuccess time.Duration // 0 where the load ended before
	// LastSuccess is the last one before.
	LastSuccess time.Duration
}

// Silence is a time in which transactions waited and none was completed: from the last one
// that was completed, or from when the next was due, to when that one was.
type Silence struct{ From, To time.Duration } // since the load began

// silence is the shortest that counts: what is shorter is a stall.
const silence = 200 * time.Millisecond

// service watches whether transactions succeed.
type service struct {
	silences []Outage
	// gaps are the times as long as a silence in which no transaction was completed, whether or
	// not one waited.
	gaps    []Outage
	failing bool
	first   int64
	last    int64
	before  int64
	// waiting is from when the oldest transaction that was unanswered at the window's end
	// had waited, forever where none was.
	waiting int64
	outages []Outage
}

// mostOutages bounds what is kept: a connection killed every second for a day
// makes many. Clients that think for a second make a gap each second.
const (
	mostOutages = 10000
	mostGaps    = 10 * mostOutages
)

func (s *service) failed(now int64) {
	if !s.failing {
		s.failing, s.first, s.before = true, now, s.last
	}
}

// succeeded notes a transaction that was due at a time and is completed now.
func (s *service) succeeded(now, due int64) {
	if now-s.last >= int64(silence) && len(s.gaps) < mostGaps {
		s.gaps = append(s.gaps, Outage{time.Duration(s.last), time.Duration(now), time.Duration(s.last)})
	}
	if from := max(s.last, due); now-from >= int64(silence) && len(s.silences) < mostOutages {
		s.silences = append(s.silences, Outage{time.Duration(from), time.Duration(now), time.Duration(from)})
	}
	s.last = now
}

// end closes what lasted until the end of the window. Clients that think, and a schedule in which
// nothing is due, are no silence.
func (s *service) end(at int64) {
	if at-s.last >= int64(silence) {
		s.gaps = append(s.gaps, Outage{time.Duration(s.last), 0, time.Duration(s.last)})
	}
	if from := max(s.last, s.waiting); at-from >= int64(silence) {
		s.silences = append(s.silences, Outage{time.Duration(from), 0, time.Duration(from)})
	}
	if s.failing {
		s.keep(Outage{time.Duration(s.first), 0, time.Duration(s.before)})
	}
}

// oldestWaiting is from when the oldest transaction that is not answered has waited, forever
// where none is.
func (l *Loop) oldestWaiting() int64 {
	oldest := int64(forever)
	for _, c := range l.conns {
		switch c.state {
		case asked, undoing, pausing, gone:
			oldest = min(oldest, c.waitsFrom())
		}
	}
	if l.open {
		if due := min(l.claimed, l.arrivals.first()); due <= l.now {
			oldest = min(oldest, due)
		}
	}
	return oldest
}

// waitedFrom is from when there was a transaction that waited, now that one is completed. After a
// gap others can have waited for longer: the first that succeeds may have begun after an outage.
func (l *Loop) waitedFrom(c *connection) int64 {
	from := c.waitsFrom()
	if l.now-l.service.last >= int64(silence) {
		from = min(from, l.oldestWaiting())
	}
	return from
}

// waitsFrom is from when a transaction has waited for its server: what it waits for by itself, between
// two statements, is not silence.
func (c *connection) waitsFrom() int64 { return max(c.due, c.woke) }

func (s *service) restored(now int64) {
	s.failing = false
	s.keep(Outage{time.Duration(s.first), time.Duration(now), time.Duration(s.before)})
}

func (s *service) keep(o Outage) {
	if len(s.outages) < mostOutages {
		s.outages = append(s.outages, o)
	}
}
