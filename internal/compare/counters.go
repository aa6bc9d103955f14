package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Counter is what the probes read of one metric in an arm's windows.
type Counter struct {
	record.Metric
	// PerSecond and PerTransaction are a counter's change, the mean over the
	// trials; NaN for what is not a counter.
	PerSecond, PerTransaction float64
	// Mean and Max are over the samples of all windows; NaN for a counter.
	Mean, Max float64
	// Change is PerTransaction (of a counter) or Mean compared with the baseline,
	// arm minus baseline in the metric's own unit, the mean over common rounds;
	// NaN for the baseline itself. Interval is its 95 % interval over the rounds,
	// nil with fewer than two.
	Change   float64
	Interval *Interval
	// Total is a counter's change in the windows of all Trials that have one; NaN for what is
	// not a counter.
	Total  float64
	Trials int
	rates  []float64       // a counter's, per second, of each trial
	rounds map[int]float64 // what Change compares, by round
}

// counters are the metrics of an arm in the order in which they were declared.
func counters(trials []watched) []Counter {
	var all []Counter
	at := map[string]int{}
	for _, w := range trials {
		t := w.trial
		for _, m := range append(slices.Clip(t.Metrics), WaitPerCPU()) {
			change, counted := w.change[m.Name]
			mean, read := w.mean[m.Name]
			if !counted && !read {
				continue
			}
			i, seen := at[m.Name]
			if !seen {
				i = len(all)
				at[m.Name] = i
				all = append(all, newCounter(m))
			}
			if counted {
				all[i].count(w, change)
			} else {
				all[i].read(t, mean, w.max[m.Name])
			}
		}
	}
	for i := range all {
		all[i].finish()
	}
	return all
}

func newCounter(m record.Metric) Counter {
	return Counter{Metric: m, PerSecond: math.NaN(), PerTransaction: math.NaN(), Mean: math.NaN(), Max: math.NaN(), Change: math.NaN(), Total: math.NaN(), rounds: map[int]float64{}}
}

// count adds a trial of a counter.
func (c *Counter) count(w watched, change float64) {
	c.rates, c.Total = append(c.rates, change/w.seconds), sumKnown(c.Total, change)
	c.Trials++
	if n := w.transactions(); n > 0 {
		c.rounds[w.trial.Header.Round] = change / n
	}
}

// read adds a trial of what is not a counter.
func (c *Counter) read(t *record.Trial, mean, most float64) {
	c.rounds[t.Header.Round] = mean
	c.Max = fmax(c.Max, most)
}

func (c *Counter) finish() {
	values := make([]float64, 0, len(c.rounds))
	for _, v := range c.rounds {
		values = append(values, v)
	}
	slices.Sort(values) // sums do not depend on the map's order then
	if !c.Counter {
		c.Mean = stats.Mean(values)
		return
	}
	c.PerSecond, c.PerTransaction = stats.Mean(c.rates), stats.Mean(values)
}

// against sets an arm's counters against the baseline's, round by round.
func against(base, arm []Counter, s stopping) {
	for i := range arm {
		c := &arm[i]
		k := slices.IndexFunc(base, func(b Counter) bool { return b.Name == c.Name })
		if k < 0 {
			continue
		}
		c.Change, c.Interval, _ = differences(base[k].rounds, c.rounds, s)
	}
}

// differences are the mean and interval of [changes], and how many they are.
func differences(base, arm map[int]float64, s stopping) (mean float64, in *Interval, n int) {
	return overRounds(changes(base, arm), s)
}

// changes are arm minus baseline of the rounds that both have.
func changes(base, arm map[int]float64) map[int]float64 {
	of := map[int]float64{}
	for r, v := range arm {
		if before, both := base[r]; both {
			of[r] = v - before
		}
	}
	return of
}

// overRounds is the mean of what rounds have, with its interval by itself.
func overRounds(of map[int]float64, s stopping) (mean float64, in *Interval, n int) {
	return meanOfRounds(of), s.alone(of), len(of)
}

// Counter is a metric of the arm by name; ok is false where no probe read it.
func (a *Arm) Counter(name string) (Counter, bool) {
	for _, c := range a.Counters {
		if c.Name == name {
			return c, true
		}
	}
	return Counter{}, false
}

// perSecond is a counter's change a second; NaN where no probe read it.
func (a *Arm) perSecond(name string) float64 {
	if c, ok := a.Counter(name); ok {
		return c.PerSecond
	}
	return math.NaN()
}

// counters sets every arm's counters, budget, slowest transactions and tails against the
// baseline's at the same load. What forbids the contrast of an arm forbids these: each is an
// effect, and the cost of a tail says as much as that of throughput.
func (j comparison) counters() {
	for i := range j.res.Arms {
		arm := &j.res.Arms[i]
		base := j.base(arm.Threads)
		if arm.Baseline {
			arm.forbidden = j.forbidden(arm, arm)
		}
		if base == nil || arm.Baseline {
			continue
		}
		if arm.forbidden = j.forbidden(base, arm); !arm.forbidden {
			against(base.Counters, arm.Counters, j.stopping)
			arm.Budget.against(base.Budget, j.stopping)
			arm.Slowest.against(base.Slowest, j.stopping)
			j.tailsAgainst(base, arm)
		}
	}
}
