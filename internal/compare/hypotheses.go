package compare

// This file judges the claims of an experiment by the verdicts of its contrasts.

import (
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// Support is what a run says of a hypothesis.
type Support string

// The supports. A claim about several levels of the load is supported where it holds at each,
// contradicted where it fails at each, and mixed where it holds at some and fails at others.
const (
	Supported    Support = "supported"
	Contradicted Support = "contradicted"
	Mixed        Support = "mixed"
	Open         Support = "open"
)

// Hypothesis is a claim of the experiment with what the run says of it.
type Hypothesis struct {
	experiment.Hypothesis
	Support Support
	// Levels are the supports of single levels of the load, in the order of Threads: Supported,
	// Contradicted or Open.
	Levels  []Support
	Threads []int
}

// hypotheses judges each claim. Its arm's contrasts are of one family with all others, so
// that the intervals already allow for how many claims there are.
func hypotheses(r *record.Run, contrasts []Contrast) []Hypothesis {
	if r.Experiment == nil {
		return nil
	}
	var all []Hypothesis
	for _, of := range r.Experiment.Hypotheses {
		h := Hypothesis{Hypothesis: of}
		for _, c := range contrasts {
			if c.Arm == of.Arm {
				h.Levels, h.Threads = append(h.Levels, supportOf(of.Expect, c)), append(h.Threads, c.Threads)
			}
		}
		h.Support = joint(h.Levels)
		all = append(all, h)
	}
	return all
}

// supportOf is what one contrast says of an expectation. Slower and faster mean a verdict
// costs or gains; the opposite verdict contradicts them, and so does an effect that is known
// to be within the margin. Equivalence is contradicted only by an interval that lies beyond
// the margin as a whole.
func supportOf(expect string, c Contrast) Support {
	within := c.Verdict == Equivalent || c.Verdict == WithinMargin
	costs, gains := c.Verdict == Costs, c.Verdict == Gains
	switch {
	case expect == experiment.Slower && costs, expect == experiment.Faster && gains, expect == experiment.Alike && within:
		return Supported
	case expect == experiment.Alike && (costs || gains) && c.PastMargin == "yes":
		return Contradicted
	case expect != experiment.Alike && (costs || gains || within):
		return Contradicted
	}
	return Open
}

// joint is the support over all levels.
func joint(levels []Support) Support {
	n := map[Support]int{}
	for _, s := range levels {
		n[s]++
	}
	switch {
	case n[Supported] > 0 && n[Contradicted] > 0:
		return Mixed
	case len(levels) == 0 || n[Open] > 0:
		return Open
	case n[Supported] > 0:
		return Supported
	}
	return Contradicted
}
