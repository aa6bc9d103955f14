package compare

// This file is when a cost is established: what may be explained, and what a price may be put on.

import (
	"slices"

	"github.com/tarebench/tare/internal/record"
)

// Established says that the contrast has a verdict from enough rounds.
func (c *Contrast) Established() bool {
	switch c.Verdict {
	case Costs, Gains, WithinMargin, Equivalent:
		return !c.Exploratory
	}
	return false
}

// CostsAnything says that an arm has an established cost at a level of the load: in throughput, or
// in p95 or p99.
func (r *Result) CostsAnything(arm string, threads int) bool {
	for i := range r.Contrasts {
		c := &r.Contrasts[i]
		if c.Arm == arm && c.Threads == threads && c.Verdict == Costs && !c.Exploratory {
			return true
		}
	}
	return len(r.slowerTails(arm, threads)) > 0
}

// slowerTails are the percentiles of an arm with the verdict costs, of a contrast from enough rounds.
func (r *Result) slowerTails(arm string, threads int) (all []Tail) {
	for i := range r.Contrasts {
		if c := &r.Contrasts[i]; c.Arm == arm && c.Threads == threads && (c.Exploratory || c.Interval95 == nil) {
			return nil
		}
	}
	for i := range r.Arms {
		if a := &r.Arms[i]; a.Name == arm && a.Threads == threads && !a.Baseline {
			for _, t := range a.Tails {
				if t.Verdict == Costs {
					all = append(all, t)
				}
			}
		}
	}
	return all
}

// ArmPair is two arms at a level of the load: what is asked is the change from one to the other.
type ArmPair struct {
	From, To string
	Threads  int
}

// ChangesBetween are changes of throughput between arms. One that the result has, as a contrast or beside a
// neighbour, keeps that interval; the intervals of the others hold together, as a family of their own. A change is
// left out where something forbids the comparison, and in runs that stop by their results.
func ChangesBetween(run *record.Run, res *Result, asked []ArmPair) map[ArmPair]*Change95 {
	all := map[ArmPair]*Change95{}
	if run.Experiment == nil || run.Imported != nil || res.Sealed || stopsByResults(run.Experiment) {
		return all
	}
	var others []ArmPair
	for _, b := range asked {
		if c := res.known(b); c != nil {
			all[b] = c
		} else if !slices.Contains(others, b) {
			others = append(others, b)
		}
	}
	j := newComparison(run, res)
	for _, b := range others {
		c := j.change(b.From, b.To, b.Threads, len(others))
		if c == nil {
			continue
		}
		if c.FamilyName == FamilyNeighbours {
			c.FamilyName = FamilyRecovered
		}
		all[b] = c
	}
	return all
}

// known is a change that the result has beside a neighbour; nil for any other. That of a contrast is made of it.
func (r *Result) known(b ArmPair) *Change95 {
	for i := range r.Neighbours {
		n := &r.Neighbours[i]
		switch {
		case n.Arm != b.To || n.Threads != b.Threads:
		case n.Alone == b.From && n.Taken != nil:
			return n.Taken
		case n.Peer == b.From && n.Apart != nil:
			return n.Apart
		}
	}
	if c := r.contrastOf(b.To, b.From, b.Threads); c != nil && c.Interval95 != nil {
		return &Change95{Effect: c.Effect, Interval95: *c.Interval95, FamilyName: c.FamilyName, Family: c.Family, Rounds: c.Rounds, Verdict: c.Verdict}
	}
	return nil
}
