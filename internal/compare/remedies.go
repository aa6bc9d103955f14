package compare

import (
	"math"

	"github.com/tarebench/tare/internal/record"
)

// Decision is what becomes of a remedy that was measured.
type Decision string

// The decisions. Kept: at one level of the load or more the verdict is gains,
// from enough rounds, and at none is it costs. Refused: the change costs, or
// whatever it brings is within the margin. Undecided: the run cannot tell.
const (
	Kept      Decision = "kept"
	Refused   Decision = "refused"
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
}

// CertainGain is the lower end of the 95 % interval of its gain, in per cent; of
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

// remedies decides on each remedy of the experiment.
func remedies(r *record.Run, contrasts []Contrast) []Remedy {
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
		m.Decision = decide(m.Contrasts)
		all = append(all, m)
	}
	return all
}

// decide asks every level. A loss anywhere is a refusal: a change for the
// better at one level of the load is none for a user who has the other.
func decide(contrasts []Contrast) Decision {
	gains, idle := 0, 0
	for _, c := range contrasts {
		switch {
		case c.Exploratory:
		case c.Verdict == Costs:
			return Refused
		case c.Verdict == Gains:
			gains++
		case c.Verdict == WithinMargin || c.Verdict == Equivalent:
			idle++
		}
	}
	switch {
	case gains > 0:
		return Kept
	case idle > 0 && idle == len(contrasts):
		return Refused
	}
	return Undecided
}
