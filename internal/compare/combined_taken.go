package compare

// This file takes verdicts of several runs back by the rules of one run: where others used a machine, and where what
// they used, or what equal servers differ by, can have made the change.

import (
	"math"

	"github.com/tarebench/tare/internal/stats"
)

// takeBack takes verdicts back.
func (c *Combined) takeBack(all []*Result) {
	var busy []string
	for i, r := range c.inOrder() {
		if all[i].Others.Busy() {
			busy = append(busy, r.Dir)
		}
	}
	others := c.meanOthers(all)
	for _, effects := range [][]CombinedEffect{c.Throughput, c.Latency} {
		for i := range effects {
			e := &effects[i]
			if e.Interval95 == nil {
				continue
			}
			var why *Reason
			switch floor := c.floor(e, all); {
			case len(busy) > 0:
				said := reason("combined-busy").name("runs", baseNames(busy)...)
				why = &said
			case e.Verdict.change() && others.explains(*e.Interval95):
				said := reason("combined-mean").part("what", others.explanation())
				why = &said
			case e.Verdict != Inconclusive && len(floor.runs) > 0 && !e.Interval95.beyondNoise(floor.size):
				said := reason("combined-noise-floor").name("base", e.Baseline).name("runs", baseNames(floor.runs)...).num("size", floor.size)
				why = &said
			}
			if why != nil {
				caveats := e.Reasons
				if e.Verdict != Inconclusive {
					caveats = caveats[1:] // without the rule of the verdict
				}
				e.PastMargin = ""
				*e = e.say(Inconclusive, append([]Reason{*why}, caveats...)...)
			}
		}
	}
}

// overUnits is the mean over the units of a figure of each run, as an effect is of those of its runs.
func (c *Combined) overUnits(of func(run int) float64) float64 {
	var means []float64
	at := 0
	for _, m := range c.Machines {
		var ofMachine []float64
		for range m.Runs {
			ofMachine = append(ofMachine, of(at))
			at++
		}
		means = append(means, stats.Mean(ofMachine))
	}
	return stats.Mean(means)
}

// meanOthers is the share of others that can make the change which those of the runs can make in the mean. What a plan
// declares is none.
func (c *Combined) meanOthers(all []*Result) Others {
	most := Others{Processes: math.NaN(), Steal: math.NaN()} // names whose CPU time it is
	left := c.overUnits(func(run int) float64 {
		o := all[run].Others
		if o.declared() || math.IsNaN(o.Share()) {
			return 0
		}
		if math.IsNaN(most.Share()) || o.Share() > most.Share() {
			most = o
		}
		slower, _ := o.explained()
		return math.Log1p(slower / 100)
	})
	return Others{CPU: most.CPU, Nodes: most.Nodes, Processes: -math.Expm1(left), Steal: math.NaN(), Limit: most.Limit}
}

// combinedFloor is by how much the baseline differs from itself at most, in % and in the mean over the units, by the A/A
// comparisons of the runs that have an alarm.
type combinedFloor struct {
	size float64
	runs []string
}

// floor is that of an effect; percentiles have none.
func (c *Combined) floor(e *CombinedEffect, all []*Result) (f combinedFloor) {
	if e.Percentile != "" {
		return f
	}
	runs := c.inOrder()
	f.size = c.overUnits(func(run int) float64 {
		for _, floor := range all[run].NoiseFloors {
			if floor.Threads == e.Threads && floor.Alarm {
				f.runs = append(f.runs, runs[run].Dir)
				return floor.most()
			}
		}
		return 0
	})
	return f
}
