package diagnose

// This file is how far a run carries a cause. That a counter shows a condition does not say that
// it costs anything, and that time goes there does not say that it comes back without it.

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// State is how far a run carries a finding that its counters show.
type State string

// The states. Present: the counters show the condition. Explains: the arm has an established cost
// in throughput or in p95 or p99, and the condition's part of a transaction is longer than in the
// baseline, with an interval. Proved: an arm without the condition, and the same otherwise,
// recovers throughput.
const (
	Present  State = "present"
	Explains State = "explains"
	Proved   State = "proved"
)

// Recovery is what an arm without the condition recovers.
type Recovery struct {
	Arm    string
	Change compare.Change95 // of throughput, from the arm with the condition to Arm
}

// judge sets the states of what the counters of a run show.
func judge(run *record.Run, res *compare.Result, all []Finding) {
	without := counterparts(run, res, all)
	for i := range all {
		f := &all[i]
		if f.Verdict != Confirmed {
			continue
		}
		f.State = Present
		if !established(res, f) {
			continue
		}
		if f.Share != nil && f.Share.Lo > 0 {
			f.State = Explains
		}
		if arm := without[i]; arm != "" {
			if c := compare.ChangeBetween(run, res, f.Subject, arm, f.Threads, len(without)); c != nil && c.Verdict == compare.Gains {
				f.State, f.Recovered = Proved, &Recovery{arm, *c}
			}
		}
	}
}

// established says that there is a cost to explain. The baseline of measured remedies is the
// server that is too slow: what a remedy recovers is what it costs.
func established(res *compare.Result, f *Finding) bool {
	if f.Subject == res.Baseline {
		return len(res.Remedies) > 0
	}
	return res.CostsAnything(f.Subject, f.Threads)
}

// counterparts are the arms that have all of a finding's arm but the condition, by the index of
// the finding: with its change, and without the finding.
func counterparts(run *record.Run, res *compare.Result, all []Finding) map[int]string {
	shows := map[[2]string]bool{} // rule, arm
	for _, f := range all {
		shows[[2]string{f.Rule, f.Subject}] = shows[[2]string{f.Rule, f.Subject}] || f.Verdict == Confirmed
	}
	arms := map[int]string{}
	for i, f := range all {
		spec, ok := run.Experiment.Arm(f.Subject)
		if f.Verdict != Confirmed || f.Change == "" || !ok {
			continue
		}
		settings, err := spec.Laid(f.Change)
		if err != nil {
			continue // a change that the arm cannot have
		}
		for _, a := range run.Experiment.Arms {
			if a.Name != f.Subject && a.Same(settings) && !shows[[2]string{f.Rule, a.Name}] {
				arms[i] = a.Name
			}
		}
	}
	return arms
}
