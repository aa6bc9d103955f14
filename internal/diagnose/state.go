package diagnose

// This file is how far a run carries a cause. That a counter shows a condition does not say that
// it costs anything, and that time goes there does not say that it comes back without it.

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
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
func judge(all []Finding, res *compare.Result, answers []Answer) {
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
		for _, a := range answers {
			if f.Recovered == nil && a.Decision == compare.Kept && a.To == f.Subject && a.Threads == f.Threads && slices.Contains(a.Rules, f.Rule) {
				f.State, f.Recovered = Proved, &Recovery{a.Arm, a.Change}
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
