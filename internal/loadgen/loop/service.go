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
	failing  bool
	first    int64
	last     int64
	before   int64
	// waiting is from when the oldest transaction that was unanswered at the window's end
	// had waited, forever where none was.
	waiting int64
	outages []Outage
	more    int64 // outages beyond the most that are kept
}

// mostOutages bounds what is kept: a connection killed every second for a day
// makes many.
const mostOutages = 10000

func (s *service) failed(now int64) {
	if !s.failing {
		s.failing, s.first, s.before = true, now, s.last
	}
}

// succeeded notes a transaction that was due at a time and is completed now.
func (s *service) succeeded(now, due int64) {
	if from := max(s.last, due); now-from >= int64(silence) && len(s.silences) < mostOutages {
		s.silences = append(s.silences, Outage{time.Duration(from), time.Duration(now), time.Duration(from)})
	}
	s.last = now
}

// silent are the silences, with one that lasted until the end of the window. Clients that think,
// and a schedule in which nothing is due, are not silence.
func (s *service) silent(end int64) []Outage {
	if from := max(s.last, s.waiting); end-from >= int64(silence) {
		s.silences = append(s.silences, Outage{time.Duration(from), 0, time.Duration(from)})
	}
	return s.silences
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
	if l.open && l.arrivals.queue > 0 {
		oldest = min(oldest, l.arrivals.first)
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
	if len(s.outages) == mostOutages {
		s.more++
		return
	}
	s.outages = append(s.outages, o)
}

// finish closes an outage that the load's end cut off.
func (s *service) finish() []Outage {
	if s.failing {
		s.keep(Outage{time.Duration(s.first), 0, time.Duration(s.before)})
	}
	return s.outages
}

// overlap is the time in which every loop was without service: while one of them
// succeeds, the server serves. Each list is in order of time.
func overlap(loops [][]Outage, end time.Duration) []Outage {
	if len(loops) == 0 {
		return nil
	}
	common := loops[0]
	for _, next := range loops[1:] {
		common = intersect(common, next, end)
	}
	return common
}

func intersect(a, b []Outage, end time.Duration) []Outage {
	var out []Outage
	for i, j := 0, 0; i < len(a) && j < len(b); {
		from := max(a[i].FirstFailure, b[j].FirstFailure)
		to := min(until(a[i], end), until(b[j], end))
		if from < to {
			o := Outage{from, to, max(a[i].LastSuccess, b[j].LastSuccess)}
			if a[i].FirstSuccess == 0 && b[j].FirstSuccess == 0 {
				o.FirstSuccess = 0
			}
			out = append(out, o)
		}
		if until(a[i], end) < until(b[j], end) {
			i++
		} else {
			j++
		}
	}
	return out
}

func until(o Outage, end time.Duration) time.Duration {
	if o.FirstSuccess == 0 {
		return end
	}
	return o.FirstSuccess
}
