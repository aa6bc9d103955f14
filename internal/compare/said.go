package compare

// This file is what trials gave as their reason.

import "github.com/tarebench/tare/internal/record"

// firstOutcome is what the first trial that ended so gave as its reason.
func firstOutcome(a *Arm, o record.Outcome) []Reason {
	for _, t := range a.Trials {
		if kind(t) != incomplete && t.End.Outcome == o {
			return []Reason{said(t)}
		}
	}
	return nil
}

// firstSaid is what the first trial of a kind gave as its reason; none where no trial gave
// one.
func firstSaid(a *Arm, k trialKind) []Reason {
	for _, t := range a.Trials {
		if kind(t) == k && t.End.Reason != "" {
			return []Reason{said(t)}
		}
	}
	return nil
}

// said is the reason of a trial. A message of another program is quoted as it is.
func said(t *record.Trial) Reason {
	r := reason("trial-said").count("trial", t.Header.Trial)
	if why := Ended(t.End.Reason); why != nil {
		return r.part("text", *why)
	}
	return r.name("text", t.End.Reason)
}
