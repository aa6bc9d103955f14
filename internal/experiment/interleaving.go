package experiment

import (
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

// What Protocol.Kind can be; without one, windows.
const (
	// KindSlices: all servers of a round are up and take turns many times a second.
	KindSlices = "slices"
	// KindWindows: one server after the other has a window of its own.
	KindWindows = "windows"
)

// Interleaving is how the arms of a round share its time: what was chosen before
// the first trial, and why.
type Interleaving struct {
	Kind string `json:"kind"`
	// Why says in a sentence why this kind was taken; Reason is the same for views in other
	// languages, nil in older records.
	Why    string  `json:"why"`
	Reason *Reason `json:"reason,omitempty"`
	// Slices are the lengths; nil for windows.
	Slices *interleave.Slices `json:"slices,omitempty"`
	// Otherwise are the protocols that a run goes over to when the slices turn out not to hold
	// for an arm, in this order: longer slices, and windows at last. They are fixed, with the
	// rule (compare.Misfits), before the first trial. None where the file asks for slices.
	Otherwise []Interleaving `json:"otherwise,omitempty"`
}

// Change is a run's going over to another protocol: its rounds begin again.
type Change struct {
	// To is the place in Protocol.Otherwise.
	To     int    `json:"to"`
	Why    string `json:"why"`
	Reason Reason `json:"reason"`
}

// Reason is why a protocol was taken: a code with arguments. Its sentence is
// "protocol.why.<code>" in internal/report/language.
type Reason struct {
	Code      string            `json:"code"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// The parts of a turn that no layer decides: freezing one server and thawing the
// next takes a millisecond, and a transaction of a loaded server some.
const (
	sliceGuard  = 10 * time.Millisecond
	sliceDrain  = 20 * time.Millisecond
	sliceLength = 200 * time.Millisecond
	// MaxLeadIn is the longest lead-in: a layer that remembers for longer makes a
	// slice mostly overhead.
	MaxLeadIn = time.Second
)

// The longest slice that replaces one that is too short, and the fewest of them that a trial
// counts: longer ones are hardly nearer in time than windows, which have no pauses.
const (
	longestSlice = time.Second
	fewestSlices = 5
)

// Longer are the protocols that replace slices that turn out too short: of two, three, four and
// so on times the length, up to the longest that makes sense, and windows.
func (p Protocol) Longer(s interleave.Slices) (all []Interleaving) {
	for factor := 2; p.Slice == 0; factor++ {
		longer := s
		longer.Slice = time.Duration(factor) * s.Slice
		longer.Warmup = int((p.Warmup.Std() + longer.Load() - 1) / longer.Load())
		longer.Cycles = int((p.Measure.Std() + longer.Slice/2) / longer.Slice)
		if longer.Slice > longestSlice || longer.Cycles < fewestSlices {
			break
		}
		all = append(all, Interleaving{Kind: KindSlices, Slices: &longer})
	}
	return append(all, Interleaving{Kind: KindWindows})
}

// Slices are the lengths of a protocol for layers that remember for leadIn. The
// counted part is no shorter than the lead-in, so that at least a third of the time
// counts, and a whole number of periods, so that every slice of a server with a CPU
// quota holds as much of it; 0 is not a period. What the file gives is taken as it is. Whether servers
// are frozen between their turns depends on the targets too, and is left to the caller.
func (p Protocol) Slices(leadIn, period time.Duration) interleave.Slices {
	if p.LeadIn != nil {
		leadIn = p.LeadIn.Std()
	}
	s := interleave.Slices{Guard: sliceGuard, LeadIn: leadIn, Slice: max(sliceLength, leadIn), Drain: sliceDrain}
	if period > 0 {
		s.Slice = (s.Slice + period - 1) / period * period
	}
	if p.Slice > 0 {
		s.Slice = p.Slice.Std()
	}
	s.Warmup = int((p.Warmup.Std() + s.Load() - 1) / s.Load())
	s.Cycles = max(1, int((p.Measure.Std()+s.Slice/2)/s.Slice))
	return s
}

// Interleave is the plan with its protocol, which is part of its hash.
func (p Plan) Interleave(e *Experiment, i Interleaving) Plan {
	p.Protocol = &i
	p.Hash = p.hash(e, p.trials(e, p.MaxRounds))
	p.Sum = p.sum()
	return p
}

// Current is the protocol that the run's trials have: the planned one, or the one that it last
// went over to; nil in older records.
func (p Plan) Current() *Interleaving {
	if len(p.Changes) == 0 {
		return p.Protocol
	}
	last := p.Changes[len(p.Changes)-1]
	now := p.Protocol.Otherwise[last.To]
	now.Why, now.Reason = last.Why, &last.Reason
	return &now
}

// Change is the plan with the protocol at a place of Protocol.Otherwise. The rate of load.latency is
// fixed again: throughput by slices that do not hold was none.
func (p Plan) Change(c Change) (Plan, error) {
	p.Changes, p.LatencyRate = append(append([]Change(nil), p.Changes...), c), 0
	if err := p.checkChanges(); err != nil {
		return p, err
	}
	p.Version, p.Sum = PlanVersion, p.sum()
	return p, nil
}

// Next are the places in Protocol.Otherwise that the run can still go over to, with their
// protocols.
func (p Plan) Next() map[int]Interleaving {
	all := map[int]Interleaving{}
	if p.Protocol == nil {
		return all
	}
	for i, other := range p.Protocol.Otherwise {
		if n := len(p.Changes); n == 0 || i > p.Changes[n-1].To {
			all[i] = other
		}
	}
	return all
}

// checkChanges says which change of the protocol was not planned: they go through
// Protocol.Otherwise from its beginning to its end.
func (p Plan) checkChanges() error {
	last := -1
	for _, c := range p.Changes {
		if p.Protocol == nil || c.To <= last || c.To >= len(p.Protocol.Otherwise) {
			return fmt.Errorf("check plan: plan.json was changed: a run with this plan does not go over to protocol %d", c.To+1)
		}
		last = c.To
	}
	return nil
}

// Sliced says whether the arms of a round take turns.
func (p Plan) Sliced() bool { return p.Current() != nil && p.Current().Slices != nil }

// Schedule is who is on in a round: the cell of a trial is its slot less one.
func (p Plan) Schedule(round int) interleave.Schedule {
	s := interleave.Schedule{Seed: p.Seed, Round: round}
	if p.Sliced() {
		s.Slices = *p.Current().Slices
	}
	for _, t := range p.Trials {
		if t.Round == round {
			s.Cells++
		}
	}
	return s
}

// check says what of a plan's protocol cannot be.
func (i *Interleaving) check() error {
	switch {
	case i == nil:
		return nil
	case i.Kind != KindSlices && i.Kind != KindWindows || (i.Kind == KindSlices) != (i.Slices != nil):
		return fmt.Errorf("check plan: protocol %q is neither slices, with their lengths, nor windows", i.Kind)
	case i.Slices != nil:
		if err := i.Slices.Check(); err != nil {
			return err
		}
	}
	for n := range i.Otherwise {
		if err := i.Otherwise[n].check(); err != nil {
			return err
		}
	}
	return nil
}

// interleaving checks what the file says of slices.
func (c *checker) interleaving(p Protocol) {
	c.want(p.Kind == "" || p.Kind == KindSlices || p.Kind == KindWindows, "protocol.kind", "write slices or windows, not %q", p.Kind)
	c.want(p.Slice == 0 || p.Slice.Std() >= 50*time.Millisecond && p.Slice.Std() <= time.Minute, "protocol.slice", "50ms to 1m are possible; 200ms is usual")
	c.want(p.Slice.Std() <= p.Measure.Std(), "protocol.slice", "a slice is no longer than protocol.measure, which is what all slices of a trial together count")
	c.want(p.LeadIn == nil || p.LeadIn.Std() >= 0 && p.LeadIn.Std() <= time.Minute, "protocol.leadIn", "0 to 1m are possible; without it, tare computes what the layers of the arms need")
	if p.Kind == KindWindows {
		c.want(p.Slice == 0, "protocol.slice", "windows have no slices; leave it out, or write kind: slices")
		c.want(p.LeadIn == nil, "protocol.leadIn", "windows have no lead-in; leave it out, or write kind: slices")
		c.want(p.Freeze == nil, "protocol.freeze", "with windows one server runs at a time; leave it out, or write kind: slices")
	}
}
