package compare

// This file is why an arm has no p95 or p99 of its own in every trial: too few transactions, and how long a trial would
// have to be.

import (
	"cmp"
	"math"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// thinTails are the reasons for which the percentiles of two arms cannot be compared, by percentile: a trial of one of
// them has fewer transactions than the percentile needs. The trial with the fewest is named. Each arm is one of the run
// beside it.
func thinTails(runs [2]*record.Run, arms [2]*Arm) map[string]Reason {
	all := map[string]Reason{}
	for _, p := range percentiles {
		if p.name != "95" && p.name != "99" {
			continue
		}
		needs := math.Ceil(enoughBeyond * 100 / (100 - p.value))
		fewest, of := math.Inf(1), -1
		for i, a := range arms {
			if n, known := a.fewestTimed(); known && n < fewest {
				fewest, of = n, i
			}
		}
		if of < 0 || fewest >= needs {
			continue
		}
		why := reason("thin-tail").name("p", p.name).name("arm", arms[of].Name).num("needs", needs).num("n", fewest)
		if longer, long := trialTime(runs[of], arms[of]); fewest > 0 && long > 0 {
			why = why.part("longer", longer.num("seconds", long.Seconds()).num("enough", math.Ceil(spare*long.Seconds()*needs/fewest)))
		}
		all[p.name] = why
	}
	return all
}

// spare is how much longer than computed a trial should be: the slowest of the next run can have fewer transactions.
const spare = 1.2

// fewestTimed is the number of transactions with a time in the trial that has the fewest, where all trials have a
// histogram.
func (a *Arm) fewestTimed() (n float64, known bool) {
	n = math.Inf(1)
	for _, w := range a.tailWindows(a.fixed) {
		if w.latency == nil || w.latency.Histogram == nil {
			return 0, false
		}
		n = math.Min(n, float64(w.latency.Histogram.Total()))
	}
	return n, !math.IsInf(n, 1)
}

// trialTime is how long an arm was loaded in each round where its percentiles are from, and the reason that names the
// field which says so; 0 where a log tells nothing of it.
func trialTime(r *record.Run, a *Arm) (Reason, time.Duration) {
	switch {
	case r.Experiment == nil:
		return Reason{}, 0
	case a.fixed && r.Experiment.Load.Latency != nil:
		return reason("thin-tail-longer-at-rate"), cmp.Or(r.Experiment.Load.Latency.Measure, r.Experiment.Protocol.Measure).Std()
	}
	return reason("thin-tail-longer"), r.Experiment.Protocol.Measure.Std()
}
