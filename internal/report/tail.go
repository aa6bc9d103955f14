package report

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
)

// Tail is a percentile of response times over the trials of an arm.
type Tail struct {
	Percentile string `json:"percentile"`
	// Mean is the geometric mean of the trials' percentiles in milliseconds, Interval its
	// 95 % interval, null below two trials.
	Mean     Number     `json:"mean_ms"`
	Interval *[2]Number `json:"interval_ms"`
	Trials   int        `json:"trials"`
	// Lowest and Highest are those of the trials, NoInterval is why there is no interval: "few" trials, or trials that
	// are too far "apart". NoChange is the same of the change, and "no-baseline" where the baseline has no such figure.
	Lowest     Number `json:"lowest_ms"`
	Highest    Number `json:"highest_ms"`
	NoInterval string `json:"no_interval,omitempty"`
	NoChange   string `json:"no_change,omitempty"`
	// CostPercent is the change from the baseline over common rounds, positive = slower,
	// null for the baseline; CostInterval is its 95 % interval, CostInterval90 the 90 % interval that is
	// compared with the margin, null below two rounds and where they are not determined.
	CostPercent    Number     `json:"cost_percent"`
	CostInterval   *[2]Number `json:"cost_interval"`
	CostInterval90 *[2]Number `json:"cost_interval90"`
	*Joint                    // of CostInterval; left out without a cost
	Rounds         int        `json:"rounds"`
	// Verdict is "costs", "gains", "within-margin", "equivalent" or "inconclusive"; "" without an interval.
	Verdict string `json:"verdict"`
}

func tails(in []compare.Tail) []Tail {
	out := make([]Tail, 0, len(in))
	for _, t := range in {
		tail := Tail{
			Percentile: t.Percentile, Mean: Number(t.Mean), Interval: intervalOf(t.Interval), Trials: t.Trials, CostPercent: Number(t.Cost),
			CostInterval: intervalOf(t.CostInterval), CostInterval90: intervalOf(t.CostInterval90), Rounds: t.Rounds, Verdict: string(t.Verdict),
			Lowest: Number(t.Lowest), Highest: Number(t.Highest), NoInterval: t.NoInterval, NoChange: t.NoChange,
		}
		if t.Rounds > 0 {
			j := joint(compare.FamilyLatency, t.Family)
			tail.Joint = &j
		}
		out = append(out, tail)
	}
	return out
}

// Tail is a percentile of the arm with its interval; nil where it has none.
func (a *Arm) Tail(percentile string) *Tail {
	for i := range a.Tails {
		if a.Tails[i].Percentile == percentile {
			return &a.Tails[i]
		}
	}
	return nil
}

// Percentile that is quoted of the arm, in milliseconds: the mean over its trials, which has
// an interval, else that of all requests together; unknown where there is none.
func (a *Arm) Percentile(name string) Number {
	if t := a.Tail(name); t != nil {
		return t.Mean
	}
	if a.Latency != nil {
		if v, ok := a.Latency.Percentiles[name]; ok {
			return v
		}
	}
	return Unknown()
}

// Percentile is that of the arm, unknown where a run at a rate says why the arm has none: that of all requests together
// would contradict it.
func (doc *Document) Percentile(a *Arm, name string) Number {
	if doc.NoTail(a) != "" {
		return Unknown()
	}
	return a.Percentile(name)
}

// tailSentence says which of p95 and p99 cost or gain, where throughput has not said the same already.
func (doc *Document) tailSentence(c *Contrast) string {
	if doc.Rate() != "" { // what a closed loop completes says nothing of these
		return doc.rateSentence(c)
	}
	said := ""
	for _, t := range doc.decidedTails(c) {
		slower := t.CostPercent > 0
		if slower && c.Verdict == string(compare.Costs) || !slower && c.Verdict == string(compare.Gains) {
			continue
		}
		said += doc.tailChange("sentence.tail.longer", "sentence.tail.shorter", t)
	}
	return said
}

// decidedTails are the percentiles of a contrast from enough rounds that cost or gain.
func (doc *Document) decidedTails(c *Contrast) (all []*Tail) {
	a := doc.Arm(c.Arm, c.Threads)
	if a == nil || c.Interval == nil || c.Exploratory {
		return nil
	}
	for i := range a.Tails {
		if v := a.Tails[i].Verdict; a.Tails[i].CostInterval != nil && (v == string(compare.Costs) || v == string(compare.Gains)) {
			all = append(all, &a.Tails[i])
		}
	}
	return all
}

// slowerTail says that p95 or p99 of a contrast costs.
func (doc *Document) slowerTail(c *Contrast) bool {
	return slices.ContainsFunc(doc.decidedTails(c), func(t *Tail) bool { return t.Verdict == string(compare.Costs) })
}
