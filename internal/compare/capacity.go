package compare

// This file is the capacity of the arms, where the experiment searches for it, and what the
// servers did beyond it. The unit is the trial, a fresh server: its search gives one rate.

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Capacity is the capacity of one arm at one number of connections.
type Capacity struct {
	Arm     string
	Threads int
	// Rate is the geometric mean of the trials' capacities in transactions per second,
	// Interval its 95 % interval (Student's t over logarithms), nil below two trials.
	Rate     float64
	Interval *Interval
	Trials   int
	// Low and High are the medians over trials of the rates between which steps kept the
	// limit at times; High NaN where a trial does not know it.
	Low, High float64
	// Kept are the trials whose window, at the rate that was found, kept the limit. About
	// half of them do: the rate is the one at which a step keeps it as often as not.
	Kept int
	// Missed are the trials whose window missed the limit by more than missedBy: their server, or what shared its machine,
	// was another than that of the search. MissedLatency is the geometric mean of their windows' percentile in ms.
	Missed        int
	MissedLatency float64
	// Steps is the number of steps of the searches, Few those in which fewer than
	// enoughBeyond values lay beyond the percentile, Generator those in which the
	// generator may have been the limit.
	Steps, Few, Generator int
	Beyond                *Beyond // nil where no overload was offered
}

// Beyond is what an arm's servers did under a load above their capacity.
type Beyond struct {
	// Load is the overload as a multiple of the capacity.
	Load float64
	// Completed is the share of the capacity that was completed, geometric mean over
	// trials, Interval its 95 % interval, nil below two trials.
	Completed float64
	Interval  *Interval
	// Waiting is how many transactions per second fell due and were not completed: the
	// growth of the queue. Mean over trials.
	Waiting float64
	// Latency is the geometric mean of the percentile in milliseconds; NaN for none.
	Latency float64
	Trials  int // whose server lived through it
	// Lost are the trials whose server did not, How says what happened in the first of them.
	Lost int
	How  string
}

// find is the search of the experiment; nil where there is none.
func find(r *record.Run) *experiment.Find {
	if r.Experiment == nil || r.Imported != nil {
		return nil
	}
	return r.Experiment.Load.Find
}

// capacities has one entry per arm and level that has a number.
func (j comparison) capacities() []Capacity {
	if j.res.Find == nil || j.res.Sealed {
		return nil
	}
	var all []Capacity
	for i := range j.res.Arms {
		if c, ok := capacityOf(&j.res.Arms[i], *j.res.Find); ok {
			all = append(all, c)
		}
	}
	return all
}

func capacityOf(a *Arm, f experiment.Find) (Capacity, bool) {
	c := Capacity{Arm: a.Name, Threads: a.Threads}
	rates := byRounds{}
	var low, high []float64
	for _, t := range a.firsts() {
		found := t.Window.Capacity
		if found == nil {
			continue
		}
		rates[a.stopping.roundOf(t)] = math.Log(found.Rate)
		low, high = append(low, found.Low), append(high, known0(found.High))
		c.count(t, f)
	}
	if c.Trials = len(rates); c.Trials == 0 {
		return c, false
	}
	c.Rate, c.Interval = a.stopping.geometric(rates)
	c.MissedLatency = math.Exp(c.MissedLatency / float64(max(1, c.Missed)))
	c.Low, c.High = stats.Median(low), math.NaN()
	if !slices.ContainsFunc(high, math.IsNaN) {
		c.High = stats.Median(high)
	}
	c.Beyond = beyond(a, f)
	return c, true
}

// known0 is a value that is not known where it is 0.
func known0(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// missedBy is how many times the limit a window's percentile is where the window does not confirm the search. At the rate
// itself about half of the windows miss the limit by less.
const missedBy = 2

// count adds the steps and the window of one trial.
func (c *Capacity) count(t *record.Trial, f experiment.Find) {
	for _, s := range t.Steps {
		if s.Purpose != record.StepSearch {
			continue
		}
		c.Steps++
		if few(s, f) {
			c.Few++
		}
		if s.Generator != "" {
			c.Generator++
		}
	}
	if l := t.Window.Latency; l != nil && l.Histogram != nil {
		ns, _ := l.Histogram.Percentile(f.Percentile)
		switch limit := float64(f.Limit.Std()); {
		case float64(ns) <= limit:
			c.Kept++
		case float64(ns) > missedBy*limit:
			c.Missed++
			c.MissedLatency += math.Log(float64(ns) / 1e6)
		}
	}
}

// few says that a step completed too few transactions for the percentile of the search.
func few(s record.Step, f experiment.Find) bool {
	return float64(s.Counts.Transactions)*(100-f.Percentile)/100 < enoughBeyond
}

// shortSteps is why an arm has no capacity although its searches ended: none of their steps had enough transactions for
// the percentile, so that no step has shown whether the limit was kept. It is nil where one had.
func (a *Arm) shortSteps(f *experiment.Find) *Reason {
	if f == nil {
		return nil
	}
	steps := 0
	for _, t := range a.Trials {
		if kind(t) != measured || t.Window.Capacity == nil {
			continue
		}
		for _, s := range t.Steps {
			switch {
			case s.Purpose != record.StepSearch:
			case !few(s, *f):
				return nil
			default:
				steps++
			}
		}
	}
	if steps == 0 {
		return nil
	}
	why := reason(capacityShort).name("arm", a.Name).count("of", steps).num("percentile", f.Percentile)
	return &why
}

// capacityShort is the reason of a capacity that steps were too short for.
const capacityShort = "capacity-short"

// tooShort refuses a comparison of capacities that steps were too short for.
func (j comparison) tooShort(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if a.short != nil {
			*c = c.say(NotMeasured, *a.short)
			c.Pairs = nil
			return true
		}
	}
	return false
}

func beyond(a *Arm, f experiment.Find) *Beyond {
	b := Beyond{Load: float64(f.Beyond), Waiting: math.NaN(), Latency: math.NaN(), Completed: math.NaN()}
	shares := byRounds{}
	var latencies, waiting []float64
	for _, t := range a.firsts() {
		for _, s := range t.Steps {
			switch {
			case s.Purpose != record.StepBeyond:
			case s.Lost != "":
				if b.Lost++; b.How == "" {
					b.How = s.Lost
				}
			case s.Seconds > 0 && t.Window.Capacity != nil:
				// One that completes nothing counts as one transaction: a share has a logarithm.
				shares[a.stopping.roundOf(t)] = math.Log(math.Max(s.Throughput(), 1/s.Seconds) / t.Window.Capacity.Rate)
				waiting = append(waiting, float64(s.Due-s.Counts.Transactions)/s.Seconds)
				if s.Latency > 0 {
					latencies = append(latencies, math.Log(s.Latency))
				}
			}
		}
	}
	b.Trials = len(shares)
	if b.Trials == 0 && b.Lost == 0 {
		return nil
	}
	if b.Trials > 0 {
		b.Completed, b.Interval = a.stopping.geometric(shares)
		b.Waiting, b.Latency = stats.Mean(waiting), math.Exp(stats.Mean(latencies))
	}
	return &b
}

// capacityWarnings say what a reader must know of the searches.
func capacityWarnings(res *Result) []Reason {
	f := res.Find
	if f == nil {
		return nil
	}
	w := []Reason{reason("capacity").num("percentile", f.Percentile).num("limit", float64(f.Limit.Std().Microseconds())/1000).num("within", 100*float64(f.Within))}
	for _, a := range res.Arms {
		if a.short != nil {
			w = append(w, *a.short)
		}
	}
	for _, c := range res.Capacities {
		arm := armName(Arm{Name: c.Arm, Threads: c.Threads}, res)
		if c.Few > 0 {
			w = append(w, reason("capacity-few").part("arm", arm).count("n", c.Few).count("of", c.Steps).num("percentile", f.Percentile))
		}
		if c.Generator > 0 {
			w = append(w, reason("capacity-generator").part("arm", arm).count("n", c.Generator).count("of", c.Steps))
		}
	}
	return w
}

// searched tells that the figures of an arm are capacities.
func (a *Arm) searched() bool {
	return slices.ContainsFunc(a.numbers(), func(t *record.Trial) bool { return t.Window.Capacity != nil })
}
