package event

// What became of the events of a trial, as facts of its record.

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// happened is what became of one event. Times since it began are 0 where nothing was seen.
type happened struct {
	event  Event
	member int           // 0 where the database has none
	before int           // the primary
	after  int           // the primary at the end, 0 while none is known
	began  time.Duration // since the window's beginning, as ended is
	ended  time.Duration // 0 where it lasts
	// detected is how long after its beginning the primary had failed for as long as a failover waits, and promoted when
	// another primary was there.
	detected, promoted time.Duration
	missed             map[Seen]error    // why it could not be seen
	seen               map[Seen]sighting // of a server that is alone
	failed             error
	// unpromoted is why no other member could be promoted, "" where none failed.
	unpromoted string
	output     *output // of a command
}

// Seen is what an observer sees of a server that is alone and starts again, by the key of its fact.
type Seen string

// What is seen, in the order in which it happens. Running and Ready are those of a pod, as a cluster's API server
// says, which can be later than what is seen of the server itself.
const (
	Exited  Seen = "exited_after_s"  // its process had ended
	Started Seen = "started_after_s" // the next one ran
	// Contained is when the first process of its next container began.
	Contained Seen = "container_after_s"
	Running   Seen = "running_after_s" // its container was reported as running
	Ready     Seen = "ready_after_s"   // its pod was reported as ready
	Listens   Seen = "listens_after_s" // it accepted a connection
	Answers   Seen = "answers_after_s" // it answered a query
	Routed    Seen = "routed_after_s"  // the way of the clients led to it
)

func allSeen() []Seen {
	return []Seen{Exited, Started, Contained, Running, Ready, Listens, Answers, Routed}
}

// sighting is how long after the beginning of an event something was seen, and by what.
type sighting struct {
	after time.Duration
	by    string
}

// History is what became of all.
type History struct {
	mu  sync.Mutex
	all []happened
}

func (h *History) add(one happened) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, one)
}

// change changes the last event.
func (h *History) change(f func(*happened)) { h.at(h.count(), f) }

// at changes the event of a number, from 1.
func (h *History) at(number int, f func(*happened)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(&h.all[number-1])
}

// count is how many events have begun.
func (h *History) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

// end is that of the last event.
func (h *History) end(at time.Duration, err error) {
	h.change(func(last *happened) { last.ended, last.failed = at, err })
}

// restarted says whether the process of a server that is alone is not the first.
func (h *History) restarted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.all, func(one happened) bool {
		return one.seen[Exited].after+one.seen[Started].after+one.seen[Running].after+one.seen[Answers].after > 0
	})
}

// cause is the event to which a failover from the primary old belongs: the latest that happened to
// that member, else the last. The next event can begin before the failover has ended. It is nil where
// there was no event. Called with the lock.
func (h *History) cause(old int) *happened {
	for i := range slices.Backward(h.all) {
		if one := &h.all[i]; one.member == old && one.failed == nil {
			return one
		}
	}
	if len(h.all) == 0 {
		return nil
	}
	return &h.all[len(h.all)-1]
}

// Detected notes that the primary old has failed for as long as a failover waits, at a time of the window. The first
// time counts: a promotion that does not succeed is tried again.
func (h *History) Detected(at time.Duration, old int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.cause(old); one != nil && one.detected == 0 {
		one.detected = at - one.began
	}
}

// Promoted notes that another primary has replaced old, at a time of the window.
func (h *History) Promoted(at time.Duration, old, primary int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.cause(old)
	if one == nil {
		return
	}
	one.after = primary
	if one.promoted == 0 {
		one.promoted = at - one.began
	}
}

// NotPromoted notes why a failover from the primary old failed.
func (h *History) NotPromoted(old int, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.cause(old); one != nil {
		one.unpromoted = why
	}
}

// Facts are what happened, event by event.
func (h *History) Facts() (facts []record.Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, one := range h.all {
		for _, f := range one.facts() {
			f.Key, f.Phase = fmt.Sprintf(keys.EventPrefix+"%d.%s", i+1, f.Key), "end"
			facts = append(facts, f)
		}
	}
	return facts
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// facts have the keys of one event.
func (one happened) facts() (facts []record.Fact) {
	add := func(key, value, source string) {
		facts = append(facts, record.Fact{Key: key, Value: value, Source: source})
	}
	kind, named := one.event.Kind()
	const spec, window = "experiment.yaml", "since the beginning of the measured window"
	add("kind", kind, spec)
	add("named", named, spec)
	add("at_s", seconds(one.event.At.Std()), spec)
	add("for_s", seconds(one.event.For.Std()), spec)
	if one.failed != nil {
		facts = append(facts, record.Fact{Key: "failed", Unknown: one.failed.Error()})
	}
	add("began_s", seconds(one.began), window)
	if one.ended > 0 {
		add("ended_s", seconds(one.ended), window)
	}
	facts = append(facts, one.ofMembers()...)
	for _, what := range allSeen() {
		if seen, there := one.seen[what]; there {
			add(string(what), seconds(seen.after), "from the beginning of the event: "+seen.by)
		} else if err := one.missed[what]; err != nil {
			facts = append(facts, record.Fact{Key: string(what), Unknown: err.Error()})
		}
	}
	return append(facts, one.output.facts()...)
}

// ofMembers are those of a replicated database.
func (one happened) ofMembers() (facts []record.Fact) {
	if one.member == 0 {
		return nil
	}
	after := one.after
	if after == 0 {
		after = one.before
	}
	facts = append(facts,
		record.Fact{Key: "member", Value: strconv.Itoa(one.member), Source: "when the event began"},
		record.Fact{Key: "primary_before", Value: strconv.Itoa(one.before), Source: "the members"},
		record.Fact{Key: "primary_after", Value: strconv.Itoa(after), Source: "the members"})
	if one.detected > 0 {
		facts = append(facts, record.Fact{Key: "detected_after_s", Value: seconds(one.detected), Source: "from the beginning of the event"})
	}
	if one.promoted > 0 {
		facts = append(facts, record.Fact{Key: "promoted_after_s", Value: seconds(one.promoted), Source: "from the beginning of the event"})
	}
	if one.unpromoted != "" {
		facts = append(facts, record.Fact{Key: "failover_failed", Value: one.unpromoted, Source: "tare"})
	}
	return facts
}
