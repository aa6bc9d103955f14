package compare

// This file is the throughput around an event over time, every trial on one axis whose zero is the event's beginning.

import "math"

// EventTimeline is the throughput around an event, trial by trial.
type EventTimeline struct {
	// From is when the first bin begins, in s from the beginning of the event, and below 0; Step is how long each is.
	From, Step float64
	Trials     []EventCourse
}

// EventCourse is one trial's part of a timeline.
type EventCourse struct {
	Round, Trial int
	// Throughput is in transactions/s, one value for each bin until the next event or the end of the window.
	Throughput []float64
	// Parts are those of the longest stretch without service, in the order in which they followed each other; none in a
	// trial that was not served again.
	Parts []EventStretch
}

// EventStretch is a part of an outage, in s from the beginning of the event.
type EventStretch struct {
	Name     string // a constant Part...
	From, To float64
}

const (
	// mostBins are as many as a chart and a terminal can show, leastBin is the shortest: at 200 transactions/s it has 20.
	mostBins = 120
	leastBin = 0.1
	// leastAround is how many seconds a timeline has at least on each side of the event, where the trials have them.
	leastAround = 2.0
)

// timelineOf is nil where no trial counted its transactions in steps.
func timelineOf(all []sighting) *EventTimeline {
	before, after := around(all)
	if before <= 0 || after <= 0 {
		return nil
	}
	step := binOf(before + after)
	t := &EventTimeline{From: -step * math.Floor(before/step+1e-9), Step: step}
	if t.From == 0 {
		return nil
	}
	bins := int(math.Ceil((after-t.From)/step - 1e-9))
	for _, s := range all {
		t.Trials = append(t.Trials, s.course(t, bins))
	}
	return t
}

// around is how many seconds before and after the event are shown: until all trials have recovered, and a quarter more.
func around(all []sighting) (before, after float64) {
	room, recovered := 0.0, 0.0
	for i, s := range all {
		if lead := s.span.from - s.span.zero; i == 0 || lead < before {
			before = lead
		}
		room = max(room, s.span.until-s.span.from)
		recovered = max(recovered, s.served()-s.span.from)
		if most, ok := s.recovered(0.95); ok {
			recovered = max(recovered, most)
		}
		if _, ends := s.facts[s.prefix+"ended_s"]; ends {
			recovered = max(recovered, s.span.to-s.span.from)
		}
	}
	after = min(room, max(leastAround, 1.25*recovered))
	return min(before, max(leastAround, after/4)), after
}

// binOf is the shortest of 1, 2 and 5 in a decade that cuts a span into no more than mostBins.
func binOf(span float64) float64 {
	for decade := leastBin; ; decade *= 10 {
		for _, times := range []float64{1, 2, 5} {
			if span/(times*decade) <= mostBins {
				return times * decade
			}
		}
	}
}

// course is that of one trial.
func (s sighting) course(t *EventTimeline, bins int) EventCourse {
	c := EventCourse{Round: s.trial.Header.Round, Trial: s.trial.Header.Trial}
	line := s.trial.Window.Timeline
	for i := range bins {
		from := s.span.from + t.From + float64(i)*t.Step
		if from+t.Step > s.span.until+1e-9 {
			break
		}
		c.Throughput = append(c.Throughput, sumOf(line, line.Completed, from, from+t.Step)/t.Step)
	}
	if s.unserved() {
		return c
	}
	for _, part := range s.stretches() {
		part.From, part.To = part.From-s.span.from, part.To-s.span.from
		c.Parts = append(c.Parts, part)
	}
	return c
}
