package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Steadiness is how still an arm held while it was measured, at one level of the
// load. Sizes are % of its throughput.
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
	// given what a start costs; NaN when not known, and by slices: their servers start once
	// for a whole round, so that a trial has no duration of its own.
	Cheapest float64
}

// shortest is how many seconds a change of level is looked for in.
const shortest = 20

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
		if j.run.Plan.Sliced() {
			s.Cheapest = math.NaN()
		}
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
		// Once a round: the baseline's second trial shares the drift of the machine with the first.
		if d := stats.HalfDrift(tps); !a.again[t.Header.Trial] && !math.IsNaN(d) && !math.IsInf(d, 0) {
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
		in := Interval{d.Lo99, d.Hi99}.shown()
		s.Drift, s.Interval, s.Flagged, s.Bound = stats.Percent(d.Mean), in, d.Flagged, stats.Percent(d.Bound)
	}
	if a.searched() { // the seconds of a window say nothing of the spread of a search
		s.Restart, s.Within = math.NaN(), math.NaN()
		return s
	}
	var y []float64 // of single trials, as the series are
	for _, t := range a.firsts() {
		y = append(y, math.Log(t.Throughput()))
	}
	s.components(y, series, overhead)
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
