package compare

// This file is which part of an outage was what, by those who saw it end.

// EventPart is one part of the outage over the trials in which it was seen. The parts of a trial add
// up to its longest stretch without service.
type EventPart struct {
	Name string // a constant Part...
	Estimate
}

// Parts of an outage.
const (
	PartShutdown  = "shutdown"  // until the process had ended
	PartContainer = "container" // until the first process of the next container of its pod, or of its next pod, ran
	PartStart     = "start"     // until the next process accepted connections: start and recovery
	PartEvent     = "event"     // while the event lasted
	PartDetection = "detection" // until whoever promotes another member knew that the primary had failed
	PartFailover  = "failover"  // until another member was the primary
	PartRouting   = "routing"   // until the way of the clients led to a server that answers
	PartReconnect = "reconnect" // until a connection of the load was made again
	PartFirst     = "first"     // until the first transaction was completed
	PartUnknown   = "unknown"   // no observer saw what ended it
)

// partNames are in the order in which a table has them.
func partNames() []string {
	return []string{PartEvent, PartShutdown, PartContainer, PartStart, PartDetection, PartFailover, PartRouting, PartReconnect, PartFirst, PartUnknown}
}

// outage is the longest stretch without service of the event; ok is false where there was none.
func (s sighting) outage() (from, to float64, ok bool) {
	for _, silence := range s.trial.Window.Silences {
		if silence[1] <= s.span.from || silence[0] >= s.span.until {
			continue
		}
		if a, b := max(silence[0], s.span.from), silence[1]; b-a > to-from {
			from, to, ok = a, b, true
		}
	}
	return from, to, ok
}

// parts are how long each part of the outage took.
func (s sighting) parts() map[string]float64 {
	all := map[string]float64{}
	for _, part := range s.stretches() {
		all[part.Name] += part.To - part.From
	}
	return all
}

// stretches divide the outage by what the observers saw, one after the other, in seconds since the load began. Where no
// observer saw the end of a part, its length is unknown, together with that of the next part whose end was seen.
func (s sighting) stretches() (all []EventStretch) {
	from, to, ok := s.outage()
	if !ok {
		return nil
	}
	at, unknown := from, false
	for _, cut := range s.cuts(from, to) {
		if cut.missing {
			unknown = true
			continue
		}
		until := min(max(cut.at, at), to)
		name := cut.part
		if unknown && until > at {
			name, unknown = PartUnknown, false
		}
		if until > at {
			all = append(all, EventStretch{Name: name, From: at, To: until})
		}
		at = until
	}
	return all
}

// cut is when a part ended, in seconds since the load began, or that it was not seen.
type cut struct {
	part    string
	at      float64
	missing bool
}

// cuts are in the order in which the parts of an event follow each other.
func (s sighting) cuts(from, to float64) (all []cut) {
	seen := func(part, key string, begins float64) {
		f, there := s.facts[s.prefix+key]
		all = append(all, cut{part, begins + numberOf(f), !there})
	}
	has := func(key string) bool { _, there := s.facts[s.prefix+key]; return there }
	switch kind := s.facts[s.prefix+"kind"].Value; {
	case has("promoted_after_s"):
		if has("detected_after_s") { // where the members elect, only who was elected is seen
			seen(PartDetection, "detected_after_s", s.span.from)
		}
		seen(PartFailover, "promoted_after_s", s.span.from)
	case has("member"):
		all = append(all, cut{PartEvent, s.span.to, !has("ended_s")})
	case kind == "kill" || kind == "restart" || kind == "delete":
		seen(PartShutdown, "exited_after_s", s.span.from)
		if has("container_after_s") || has("running_after_s") { // of a pod
			seen(PartContainer, "container_after_s", s.span.from)
		}
		seen(PartStart, "listens_after_s", s.span.from)
		if has("routed_after_s") {
			seen(PartRouting, "routed_after_s", s.span.from)
		}
	default:
		seen(PartEvent, "ended_s", s.span.zero)
	}
	if t := s.trial.Window.Timeline; sumOf(t, t.Broken, s.span.from, to) > 0 {
		last := from
		for _, c := range all {
			if !c.missing {
				last = max(last, c.at)
			}
		}
		made, there := firstOf(t, t.Made, min(last, to), to+t.Step)
		all = append(all, cut{PartReconnect, made, !there})
	}
	return append(all, cut{part: PartFirst, at: to})
}
