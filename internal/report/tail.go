package report

import (
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
	// CostPercent is the change from the baseline over common rounds, positive = slower,
	// null for the baseline; CostInterval is its 95 % interval, by itself, null below two
	// rounds.
	CostPercent  Number     `json:"cost_percent"`
	CostInterval *[2]Number `json:"cost_interval"`
	Rounds       int        `json:"rounds"`
}

func tails(in []compare.Tail) []Tail {
	out := make([]Tail, 0, len(in))
	for _, t := range in {
		out = append(out, Tail{t.Percentile, Number(t.Mean), intervalOf(t.Interval), t.Trials, Number(t.Cost), intervalOf(t.CostInterval), t.Rounds})
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
