package compare

// This file separates what running somewhere costs by itself from what a busy neighbour
// takes there, where the experiment has arms that differ in nothing but the neighbour.

import (
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// BesideNeighbour is an arm with a neighbour at one level of the load.
type BesideNeighbour struct {
	Arm     string
	Threads int
	// Alone is the arm that differs from Arm only in having no neighbour, and Taken the
	// change of throughput from it to Arm: what the neighbour takes.
	Alone string
	Taken *Change95
	// Peer is the arm that differs from the baseline only in having Arm's neighbour, and
	// Apart the change from it to Arm: what remains of Arm's cost beside the neighbour.
	// Both are left out for the peer itself.
	Peer  string
	Apart *Change95
}

// Change95 is a change of throughput in %, negative when slower. Its interval holds together with
// those of its family: that of the contrasts where it is one of them, else that of the other changes.
type Change95 struct {
	Effect     float64
	Interval95 Interval
	FamilyName string
	Family     int // how many changes it has
	Rounds     int
	Verdict    Verdict
}

// neighbours are the arms with a neighbour that have an arm to be compared with. Runs
// that stop by their results have none: their levels are spent on the contrasts.
func (j comparison) neighbours() []BesideNeighbour {
	e := j.run.Experiment
	if e == nil || j.run.Imported != nil || j.res.Sealed || stopsByResults(e) {
		return nil
	}
	var all []BesideNeighbour
	for _, a := range e.Arms {
		if alone, peer := twin(e, a), peer(e, a); alone != "" || peer != "" {
			for _, threads := range e.Load.Threads {
				all = append(all, BesideNeighbour{Arm: a.Name, Threads: threads, Alone: alone, Peer: peer})
			}
		}
	}
	return j.changes(all)
}

// stopsByResults says that the number of rounds depends on the results: the error rate is then spent
// on the contrasts.
func stopsByResults(e *experiment.Experiment) bool {
	how := e.Protocol.Rounds.Stopping()
	return how == experiment.Looks || how == experiment.Open
}

// changes fills in the changes that can be computed, and leaves out arms without one.
func (j comparison) changes(all []BesideNeighbour) (known []BesideNeighbour) {
	k := 0
	for _, b := range all {
		for _, other := range []string{b.Alone, b.Peer} {
			if other != "" && other != j.res.Baseline {
				k++
			}
		}
	}
	for _, b := range all {
		b.Taken, b.Apart = j.change(b.Alone, b.Arm, b.Threads, k), j.change(b.Peer, b.Arm, b.Threads, k)
		if b.Taken != nil || b.Apart != nil {
			known = append(known, b)
		}
	}
	return known
}

// change compares two arms round by round; nil where something forbids the comparison, and
// where one of them has a trial without a number, because the rounds that are left would be
// those in which it was well.
func (j comparison) change(from, to string, threads, family int) *Change95 {
	base, arm := j.arm(from, threads), j.arm(to, threads)
	if base == nil || arm == nil || len(arm.numbers()) < len(arm.Trials) || len(base.numbers()) < len(base.Trials) || j.forbidden(base, arm) {
		return nil
	}
	if c := j.res.contrastOf(to, from, threads); c != nil && c.Interval95 != nil { // one figure, one interval
		return &Change95{Effect: c.Effect, Interval95: *c.Interval95, FamilyName: c.FamilyName, Family: c.Family, Rounds: c.Rounds, Verdict: c.Verdict}
	}
	common := pairs(base.firsts(), arm.firsts())
	d := logRatios(common)
	if len(d) < 2 {
		return nil
	}
	_, bounds := j.bounds(len(d), within(common, j.pilot))
	e := estimate{mean: stats.Mean(d), rounds: len(d), family: max(1, family), haveInterval: true}
	e.in95.Lo, e.in95.Hi = bounds(d, error95/float64(e.family))
	e.in90.Lo, e.in90.Hi = bounds(d, error90/float64(e.family))
	e.serial(logRatios(inTime(common, arm)))
	shown := e.in95.shown()
	if shown == nil {
		return nil
	}
	in90, margin := e.in90.percent(), 100*j.res.Margin
	c := Contrast{Arm: to, Baseline: from, Threads: threads, Pairs: common, Rounds: len(d), Effect: stats.Percent(e.mean), Interval95: shown, Interval90: &in90}
	c.Verdict = c.verdict(margin)
	c.PastMargin = pastMargin(c.Verdict, *shown, margin)
	j.family = e.family // of the parts of the data that the change is compared with
	return &Change95{
		Effect: c.Effect, Interval95: *shown, FamilyName: FamilyNeighbours, Family: family, Rounds: c.Rounds, Verdict: j.standing(c).Verdict,
	}
}

// contrastOf is the contrast of an arm with the baseline from; nil where from is not the baseline.
func (r *Result) contrastOf(arm, from string, threads int) *Contrast {
	for i := range r.Contrasts {
		if c := &r.Contrasts[i]; c.Arm == arm && c.Baseline == from && c.Threads == threads {
			return c
		}
	}
	return nil
}

// twin is the arm that has everything of a but its neighbour.
func twin(e *experiment.Experiment, a experiment.Arm) string {
	if !a.Has(neighbourField) {
		return ""
	}
	alone, err := a.Laid("{" + neighbourField + ": null}")
	if err != nil {
		return ""
	}
	return named(e, alone)
}

// peer is the baseline beside a's neighbour.
func peer(e *experiment.Experiment, a experiment.Arm) string {
	neighbour, given := a.Setting(neighbourField)
	base, ok := e.Arm(e.Baseline)
	if !given || !ok || base.Has(neighbourField) {
		return ""
	}
	beside, err := base.Laid("{" + neighbourField + ": " + neighbour + "}")
	if name := named(e, beside); err == nil && name != a.Name {
		return name
	}
	return ""
}

// neighbourField is the setting of an arm that makes its neighbour.
const neighbourField = "neighbour"

// named is the first arm with these settings.
func named(e *experiment.Experiment, settings string) string {
	for _, a := range e.Arms {
		if a.Same(settings) {
			return a.Name
		}
	}
	return ""
}
