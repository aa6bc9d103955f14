package compare

// This file is what others used of the machines of two runs, and what that does to the comparison of the runs. The limit of
// a run is for arms that take turns beside the same load. Two runs met different loads, so the limit that a run declares
// says nothing of their difference.

import (
	"math"
	"reflect"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// othersBetween is what others used in two runs, with the share from which on their comparison has no verdict: most, or
// the usual limit where most is 0.
func othersBetween(before, after *record.Run, most float64) inRuns {
	return inRuns{othersAmong(before, most), othersAmong(after, most)}
}

// othersAmong is what others used in one of several runs. Without most, a run that asked for a lower limit than the usual
// one keeps it.
func othersAmong(r *record.Run, most float64) Others {
	o := othersOf(r)
	if o.Limit = math.Min(o.Limit, experiment.OthersLimit); most > 0 {
		o.Limit = most
	}
	return o
}

// used is the sentence with what others used in both runs. warns says that it can have made the difference and that no
// verdict is taken back for it, or that it is not known: it stands before the verdicts then. There is none about logs,
// which tell nothing of a machine.
func (o inRuns) used(before, after *record.Run) (said []Reason, warns bool) {
	if before.Experiment == nil || after.Experiment == nil {
		return nil, false
	}
	said = []Reason{reason("others-of-runs").part("earlier", o[0].usedHere()).part("later", o[1].usedHere())}
	if math.IsNaN(o[0].Share()) && math.IsNaN(o[1].Share()) && reflect.DeepEqual(o[0].UnwatchedWhy, o[1].UnwatchedWhy) {
		said = []Reason{o[0].unknown(reason("others-of-runs-neither"), reason("others-of-runs-neither-why"))}
	}
	allowed := false
	for i := range o {
		share := o[i].Share()
		warns = warns || o[i].Unwatched || math.IsNaN(share) || share >= experiment.OthersLimit
		allowed = allowed || share >= experiment.OthersLimit && !o[i].Busy()
	}
	switch {
	case o[0].Busy() || o[1].Busy():
		said = append(said, reason("others-of-runs-busy"))
	case allowed:
		said = append(said, reason("others-of-runs-allowed"))
	case warns:
		said = append(said, reason("others-of-runs-unknown"))
	}
	return said, warns
}

// usedHere is what others used in one run.
func (o Others) usedHere() Reason {
	known := !math.IsNaN(o.Share())
	share := reason("others-share").num("share", 100*o.Share()).part("of", o.cpuTime())
	switch {
	case known && !o.Unwatched:
		return share
	case known:
		return reason("others-share-and-unknown").part("share", share).part("unknown", o.unknownHere())
	}
	return o.unknownHere()
}

// unknownHere is an unknown share.
func (o Others) unknownHere() Reason {
	return o.unknown(reason("others-unknown"), reason("others-unknown-why"))
}

// unknown is the first reason, or the second with why nothing was read, where that is known.
func (o Others) unknown(bare, explained Reason) Reason {
	if o.UnwatchedWhy == nil {
		return bare
	}
	return explained.part("why", *o.UnwatchedWhy)
}

// inRuns are what others used in the earlier and in the later of two runs.
type inRuns [2]Others

// said is a reason of one of the two runs.
func (o inRuns) said(i int, what Reason) Reason {
	return reason("in-run").part("run", reason([]string{"earlier-run", "later-run"}[i])).part("what", what)
}

// explaining is why a change between the runs has no verdict: the larger of what others used in the two can have made
// it. nil where it cannot.
func (o inRuns) explaining(in95 Interval) *Reason {
	most := -1
	for i := range o {
		if o[i].explains(in95) && (most < 0 || o[i].Share() > o[most].Share()) {
			most = i
		}
	}
	if most < 0 {
		return nil
	}
	why := o.said(most, o[most].explanation())
	return &why
}

// onBusyMachines takes the verdict of two runs back where others used the machine of one of them, or can have made the
// difference.
func (c Contrast) onBusyMachines(o inRuns) Contrast {
	if c.Interval95 == nil {
		return c
	}
	var busy []Reason
	for i := range o {
		if o[i].Busy() {
			busy = append(busy, o.said(i, o[i].namedReason()))
		}
	}
	if len(busy) == 0 {
		if why := o.explaining(*c.Interval95); why != nil && c.Verdict.change() {
			c.PastMargin = ""
			return c.say(Inconclusive, *why)
		}
		return c
	}
	c.PastMargin, c.Busy = "", true
	if len(busy) == 1 {
		return c.say(Inconclusive, busy...)
	}
	return c.say(Inconclusive, reason("in-both-runs").part("earlier", busy[0]).part("later", busy[1]))
}
