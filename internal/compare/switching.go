package compare

// This file judges how a run of slices switched between its servers: one that ran in others'
// turns took CPU time and I/O from them, and one that did not run in its own committed nothing.

import (
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// unswitchedFrom is the share of an arm's turns from which failed switches are a warning: below
// it, what they add to a cost is less than a twentieth of what the other server takes.
const unswitchedFrom = 0.05

// unswitched names the arms whose servers were often not frozen, or not thawed.
func unswitched(r *record.Run, res *Result) []Reason {
	if r.Imported != nil || !r.Plan.Sliced() {
		return nil
	}
	each := r.Plan.Current().Slices.Warmup + r.Plan.Current().Slices.Cycles
	var w []Reason
	for _, a := range res.Arms {
		trials := a.numbers()
		turns := each * len(trials)
		for _, fault := range []struct{ key, code string }{{keys.SlicesNotFrozen, "not-frozen"}, {keys.SlicesNotThawed, "not-thawed"}} {
			if n := added(trials, fault.key); float64(n) > unswitchedFrom*float64(turns) {
				w = append(w, reason(fault.code).part("arm", armName(a, res)).count("n", n).count("of", turns))
			}
		}
	}
	return w
}

// added is a count of trials' facts, summed.
func added(trials []*record.Trial, key string) (sum int) {
	for _, t := range trials {
		n, err := strconv.Atoi(engineSays(t, key))
		if err == nil { // an older record does not have it
			sum += n
		}
	}
	return sum
}
