package report

import "github.com/tarebench/tare/internal/compare"

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

// tail is a percentile of the arm with its interval; nil where it has none.
func (a *Arm) tail(percentile string) *Tail {
	for i := range a.Tails {
		if a.Tails[i].Percentile == percentile {
			return &a.Tails[i]
		}
	}
	return nil
}

// percentile that is quoted of the arm, in milliseconds: the mean over its trials, which has
// an interval, else that of all requests together; unknown where there is none.
func (a *Arm) percentile(name string) Number {
	if t := a.tail(name); t != nil {
		return t.Mean
	}
	if a.Latency != nil {
		if v, ok := a.Latency.Percentiles[name]; ok {
			return v
		}
	}
	return Unknown()
}

// tailTable is p95 and p99 of every arm, with what they cost.
func tailTable(d *Document) Table {
	t := Table{Caption: d.say("caption.tails"), Head: d.heads("arm", "percentile", "ms", "in95ms", "trials", "cost", "in95", "rounds")}
	for i := range d.Arms {
		a := &d.Arms[i]
		for _, p := range a.Tails {
			in, cost, in95, rounds := "-", "-", "-", "-"
			if p.Interval != nil {
				in = d.words().between(significant(float64(p.Interval[0])), significant(float64(p.Interval[1])))
			}
			if p.CostPercent.Known() {
				cost, rounds = decimal(float64(p.CostPercent), 1), grouped(int64(p.Rounds))
			}
			if p.CostInterval != nil {
				n := cost95(p.CostInterval).digits()
				cost, in95 = decimal(float64(p.CostPercent), n), d.words().interval(float64(p.CostInterval[0]), float64(p.CostInterval[1]), n)
			}
			t.Rows = append(t.Rows, []Cell{
				words(d.label(a.Name, a.Threads)), words("p" + p.Percentile), number(msOrDash(p.Mean)), number(in), number(grouped(int64(p.Trials))),
				number(cost), number(in95), number(rounds),
			})
		}
	}
	return t
}

// cost95 is an interval that is a cost already.
func cost95(in *[2]Number) cost { return cost{lo: float64(in[0]), hi: float64(in[1])} }
