package capture

// This file measures how long a log's statements lasted, by their times.

// activity are the times of statements, in milliseconds since 1970, as a log has them one after another.
type activity struct {
	from, to float64
	// before is the length of the parts before the time went back, back their number.
	before float64
	back   int
	// all, atFrom and atTo are how many statements there were, in the part's first time and in its last.
	all, atFrom, atTo float64
}

// goesBack is by how many milliseconds a time may be before an earlier entry's: threads write their entries
// a moment after they took the time.
const goesBack = 5000.0

// add takes a time with the number of statements that it stands for. A time that is not above 0 is not known.
func (a *activity) add(at, statements float64) {
	if !(at > 0) {
		return
	}
	a.all += statements
	switch {
	case a.from == 0:
		a.from, a.to = at, at
	case at < a.to-goesBack:
		a.before, a.back = a.before+a.to-a.from, a.back+1
		a.from, a.to, a.atFrom, a.atTo = at, at, 0, 0
	case at > a.to:
		a.to, a.atTo = at, 0
	case at < a.from:
		a.from, a.atFrom = at, 0
	}
	if at == a.from {
		a.atFrom += statements
	}
	if at == a.to {
		a.atTo += statements
	}
}

// length is from the first statement to the last, in milliseconds; 0 where they have one time. With whole seconds
// (coarse), it is known to one second either way. Of a short log, the statements of the full seconds say
// how much of the first second and of the last there was.
func (a *activity) length(coarse bool) float64 {
	span := a.before + a.to - a.from
	full := a.all - a.atFrom - a.atTo
	if !coarse || a.back > 0 || span >= 1000*shortSpan || span < 3000 || full <= 0 {
		return span
	}
	steady := a.all / full * (span - 1000)
	return min(max(steady, span-1000), span+1000)
}

// spanOf is when there were statements of the schema, or entries where there were none.
func (s *logSession) spanOf(schema string) *activity {
	if active, known := s.active[schema]; known && !s.whole {
		s.shown = active
		return active
	}
	s.shown = &s.all
	return &s.all
}

// back is how often the times go back.
func (s *logSession) back() int {
	if s.shown == nil {
		return 0
	}
	return s.shown.back
}
