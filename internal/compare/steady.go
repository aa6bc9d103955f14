package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Steadiness is how still an arm held while it was measured, at one level of the
// load. Sizes are per cent of its throughput.
type Steadiness struct {
	Arm     string
	Threads int
	Trials  int
	// Drift is how much faster the second half of the windows was than the first,
	// over the trials; Flagged when its 99 % interval excludes zero.
	Drift    float64
	Interval *Interval // 99 %
	Flagged  bool
	// Bound is the largest drift that the data do not rule out.
	Bound float64
	// Changed counts the trials within which the level changes once for good (1 %
	// self-normalised test), Tested those long enough to be asked.
	Changed, Tested int
	// MachineSlow counts the trials before which the sentinel was off.
	MachineSlow int
	// Restart is the SD that one start of the server adds over another, Within what
	// the seconds of a window would leave by themselves; NaN when not known.
	Restart, Within float64
	// Cheapest is the window in seconds that gives most precision for the time,
	// given what a start costs; NaN when not known.
	Cheapest float64
}

// CarryOver is whether a trial leaves something behind for the next one.
type CarryOver struct {
	Threads int
	P       float64            // permutation p
	Left    map[string]float64 // per cent, mean residual of the trial after each arm
	// Interval is the 95 % interval of Left, by itself, nil below two trials; Trials is
	// how many followed the arm.
	Interval map[string]*Interval
	Trials   map[string]int
	Flagged  bool // p < 1 %
}

const (
	carryDraws = 999
	carrySeed  = 1
	carryLevel = 0.01
	shortest   = 20 // seconds in which a change of level is looked for
)

// ChangesLevel says that the arm's level changes within more than a fifth of its
// windows: its mean then describes no single state.
func (s Steadiness) ChangesLevel() bool { return 5*s.Changed > s.Tested }

func (j comparison) steadiness() []Steadiness {
	var all []Steadiness
	for i := range j.res.Arms {
		trials := j.res.Arms[i].numbers()
		if len(trials) == 0 || j.res.Sealed {
			continue
		}
		s := steadinessOf(&j.res.Arms[i], trials)
		for _, t := range j.res.Arms[i].Trials { // those of void rounds among them
			if j.machineSlow[t.Header.Trial] {
				s.MachineSlow++
			}
		}
		all = append(all, s)
	}
	return all
}

func steadinessOf(a *Arm, trials []*record.Trial) Steadiness {
	s := Steadiness{Arm: a.Name, Threads: a.Threads, Trials: len(trials), Drift: math.NaN(), Bound: math.NaN(), Cheapest: math.NaN()}
	var drifts []float64
	var series []stats.LongRun
	overhead := 0.0
	for _, t := range trials {
		tps := known(seconds(t))
		if len(tps) < 4 {
			continue
		}
		if d := stats.HalfDrift(tps); !math.IsNaN(d) && !math.IsInf(d, 0) {
			drifts = append(drifts, d)
		}
		if at, looked := ChangesAt(t); looked {
			s.Tested++
			if !math.IsNaN(at) {
				s.Changed++
			}
		}
		series = append(series, stats.EWC(relative(tps)))
		overhead += (t.End.Duration.Seconds() - t.Window.Seconds) / float64(len(trials))
	}
	if d := stats.DriftOf(drifts); d.N >= 2 {
		in := Interval{d.Lo99, d.Hi99}.percent()
		s.Drift, s.Interval, s.Flagged, s.Bound = stats.Percent(d.Mean), &in, d.Flagged, stats.Percent(d.Bound)
	}
	s.components(logs(a), series, overhead)
	return s
}

// components takes the spread of the trials apart: log throughputs, so that the
// within part, of series divided by their mean, has the same unit.
func (s *Steadiness) components(y []float64, series []stats.LongRun, overhead float64) {
	c := stats.VarianceComponents(series)
	c.Between = math.Max(0, stats.Variance(y)-c.Within)
	s.Restart, s.Within = 100*math.Sqrt(c.Between), 100*math.Sqrt(c.Within)
	if c.Between > 0 && c.LRV > 0 && overhead > 0 {
		s.Cheapest = c.OptimalLength(overhead)
	}
}

// known leaves out what an engine did not report.
func known(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return math.IsNaN(v) || v < 0 })
}

func relative(x []float64) []float64 {
	mean, out := stats.Mean(x), make([]float64, len(x))
	for i, v := range x {
		out[i] = v / mean
	}
	return out
}

// carryOvers tests runs of one level of the load, where every round is complete:
// with several levels the trial before is often of another one. In a round of slices
// every arm follows every other, many times.
func (j comparison) carryOvers() []CarryOver {
	if j.run.Imported != nil || j.res.Sealed || len(j.run.Experiment.Load.Threads) != 1 || j.run.Plan.Sliced() {
		return nil
	}
	names, y, order := j.sequence()
	if len(y) < EnoughRounds(1) || len(names) < 2 {
		return nil
	}
	test, err := stats.CarryOverTest(y, order, carryDraws, carrySeed)
	if err != nil { // a round is not complete: nothing can be said
		return nil
	}
	c := CarryOver{Threads: j.run.Experiment.Load.Threads[0], P: test.P, Left: map[string]float64{}, Interval: map[string]*Interval{}, Trials: map[string]int{}, Flagged: test.P < carryLevel}
	for k, name := range names {
		if k < len(j.run.Experiment.Arms) { // the baseline's second trials are last
			c.Left[name], c.Trials[name] = stats.Percent(test.Left[k]), test.After[k]
			if test.After[k] >= 2 {
				in := Interval{test.Lo95[k], test.Hi95[k]}.percent()
				c.Interval[name] = &in
			}
		}
	}
	return []CarryOver{c}
}

// sequence is the log throughputs, a row for each round and a column for each arm,
// the baseline's second trial a column of its own, and who followed whom.
func (j comparison) sequence() (names []string, y [][]float64, order [][]int) {
	names = j.run.Experiment.Arms.Names()
	columns := len(names)
	if j.run.Plan.AA {
		columns++
		names = append(names, j.res.Baseline)
	}
	byNumber := map[int]float64{}
	for i := range j.res.Arms {
		for _, t := range j.res.Arms[i].numbers() {
			byNumber[t.Header.Trial] = math.Log(t.Throughput())
		}
	}
	for _, p := range j.run.Plan.Trials {
		if p.Round > len(y) {
			y, order = append(y, make([]float64, columns)), append(order, nil)
		}
		k := slices.Index(names, p.Arm)
		if p.Again {
			k = columns - 1
		}
		v, ok := byNumber[p.Number]
		if !ok {
			v = math.NaN()
		}
		y[p.Round-1][k] = v
		order[p.Round-1] = append(order[p.Round-1], k)
	}
	return names, y, order
}
