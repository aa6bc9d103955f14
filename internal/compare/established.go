package compare

// This file is when a cost is established: what may be explained, and what a price may be put on.

import "github.com/tarebench/tare/internal/record"

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

// ChangeBetween is the change of throughput from one arm to another at a level of the load, with an
// interval that holds together with those of a family of such changes; nil where something forbids
// the comparison, and in runs that stop by their results.
func ChangeBetween(run *record.Run, res *Result, from, to string, threads, family int) *Change95 {
	if run.Experiment == nil || run.Imported != nil || res.Sealed || stopsByResults(run.Experiment) {
		return nil
	}
	c := newComparison(run, res).change(from, to, threads, family)
	if c != nil && c.FamilyName == FamilyNeighbours {
		c.FamilyName = FamilyRecovered
	}
	return c
}
