package compare

import (
	"math"

	"github.com/tarebench/tare/internal/record"
)

// Decision is what becomes of a remedy that was measured.
type Decision string

// The decisions. Kept: at one level of the load or more the verdict is gains,
// or it is that of p95 or p99, from enough rounds, and neither
// is the opposite at any. Rejected: the change costs, or whatever it brings is within
// the margin. Undecided: the run cannot tell.
const (
	Kept      Decision = "kept"
	Rejected  Decision = "rejected"
	Undecided Decision = "undecided"
)

// Remedy is a remedy with what was measured of it against the baseline, which is
// the server without it: one contrast for each level of the load.
type Remedy struct {
	Arm, Rule, Finding string
	// Change is a merge patch of the baseline's settings, as YAML on one line.
	Change    string
	Decision  Decision
	Contrasts []Contrast
	// Serves says so where the server served in no round with the change, or in all
	// with it and in none without, or where the client kept up with it alone: there is no
	// ratio then, and none is needed.
	Serves *Reason
}

// CertainGain is the lower end of the 95 % interval of its gain, in %; of
// several levels of the load the least. -Inf where one has no interval.
func (m Remedy) CertainGain() float64 {
	least := math.Inf(1)
	for _, c := range m.Contrasts {
		if c.Interval95 == nil {
			return math.Inf(-1)
		}
		least = min(least, c.Interval95.Lo)
	}
	return least
}

// remedies decides on each remedy of the experiment; on none of a sealed run, whose rounds so far would
// be a look before the planned one.
func remedies(r *record.Run, arms []Arm, contrasts []Contrast, sealed bool) []Remedy {
	if r.Experiment == nil {
		return nil
	}
	var all []Remedy
	for _, of := range r.Experiment.Remedies {
		m := Remedy{Arm: of.Arm, Rule: of.Rule, Finding: of.Finding, Change: of.Change()}
		for _, c := range contrasts {
			if c.Arm == of.Arm {
				m.Contrasts = append(m.Contrasts, c)
			}
		}
		m.Decision = decide(m.Contrasts, tailsOf(arms, of.Arm))
		if !sealed {
			m.served(arms, EnoughRounds(len(r.Experiment.Remedies)*len(r.Experiment.Load.Threads)))
		}
		all = append(all, m)
	}
	return all
}

// served decides where there is no ratio: one of the two servers never served, or the
// client kept up with the change alone. Without an effect each of the two would be as
// likely to be the one that does, in every round again: all the same way happens one time
// in 2^rounds, as with the sign-flip test. A change with which nothing serves is no
// remedy, whatever was before.
func (m *Remedy) served(arms []Arm, enough int) {
	var with, without tally
	for i := range arms {
		switch a := &arms[i]; {
		case a.Name == m.Arm:
			with.add(a)
		case a.Baseline:
			without.add(a)
		}
	}
	n := with.fewest
	because := func(code string) *Reason {
		r := reason(code).count("n", n)
		return &r
	}
	switch {
	case m.Decision == Kept && with.numberless > 0 && without.numberless == 0:
		m.Decision = Undecided // it helps at one level, and its server does not serve at another
	case m.Decision != Undecided || n < enough:
	case with.numberless == with.all:
		m.Decision, m.Serves = Rejected, because("serves-never")
	case with.served == with.all && without.numberless == without.all:
		m.Decision, m.Serves = Kept, because("serves-only-with")
	case with.served == with.all && with.heldUp == 0 && without.heldUp == without.all:
		m.Decision, m.Serves = Kept, because("client-keeps-up-only-with")
	}
}

// tally counts the trials of an arm at all levels of the load; fewest are those of the
// level that has the fewest.
type tally struct{ all, fewest, served, numberless, heldUp int }

func (n *tally) add(a *Arm) {
	if trials := len(a.Trials); n.all == 0 || trials < n.fewest {
		n.fewest = trials
	}
	n.all += len(a.Trials)
	n.served += a.count(measured)
	n.numberless += a.count(numberless)
	heldUp, _ := a.heldUp()
	n.heldUp += heldUp
}

// tailEffects counts the percentiles of an arm, at all levels of the load, whose verdict is gains or
// costs.
type tailEffects struct{ faster, slower int }

func tailsOf(arms []Arm, name string) (n tailEffects) {
	for i := range arms {
		for _, t := range arms[i].Tails {
			switch {
			case arms[i].Name != name:
			case t.Verdict == Gains:
				n.faster++
			case t.Verdict == Costs:
				n.slower++
			}
		}
	}
	return n
}

// decide asks every level. A loss anywhere is a refusal: a change for the
// better at one level of the load is none for a user who has the other. A change that
// halves p95 and leaves throughput as it is helps too; one with which p95 doubles is not
// kept for its throughput.
func decide(contrasts []Contrast, tails tailEffects) Decision {
	gains, idle := 0, 0
	for _, c := range contrasts {
		switch {
		case c.Exploratory:
		case c.Verdict == Costs:
			return Rejected
		case c.Verdict == Gains:
			gains++
		case c.Verdict == WithinMargin || c.Verdict == Equivalent:
			idle++
		}
	}
	switch {
	case gains > 0 && tails.slower == 0:
		return Kept
	case tails.faster > 0 && tails.slower == 0 && enough(contrasts):
		return Kept
	case tails.slower > 0 || tails.faster > 0:
		return Undecided
	case idle > 0 && idle == len(contrasts):
		return Rejected
	}
	return Undecided
}

// enough says that every contrast has enough rounds for a verdict.
func enough(contrasts []Contrast) bool {
	for _, c := range contrasts {
		if c.Exploratory || c.Interval95 == nil {
			return false
		}
	}
	return len(contrasts) > 0
}
