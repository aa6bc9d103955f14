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

// Slices are the lengths of a protocol for layers that remember for leadIn. The
// counted part is no shorter than the lead-in, so that at least a third of the time
// counts, and a whole number of periods, so that every slice of a server with a CPU
// quota holds as much of it; 0 is not a period. What the file gives is taken as it is.
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
	s.Idle = p.Freeze != nil && !*p.Freeze
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

// Sliced says whether the arms of a round take turns.
func (p Plan) Sliced() bool { return p.Protocol != nil && p.Protocol.Slices != nil }

// Schedule is who is on in a round: the cell of a trial is its slot less one.
func (p Plan) Schedule(round int) interleave.Schedule {
	s := interleave.Schedule{Seed: p.Seed, Round: round}
	if p.Sliced() {
		s.Slices = *p.Protocol.Slices
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
		return i.Slices.Check()
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
