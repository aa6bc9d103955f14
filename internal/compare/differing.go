package compare

// This file finds the watched metrics whose level differs between an arm and the baseline
// by more than chance explains: those to look at first.

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Differing is a metric at one level in the baseline and at another in an arm. Levels are
// means over the rounds that both have; a counter's is its change per second.
type Differing struct {
	record.Metric
	Arm     string
	Threads int
	Base    float64
	Level   float64
	// Interval is of Level minus Base, at 95 % for all metrics of the arm together
	// (Bonferroni); zero is outside it.
	Interval Interval
	// Least is the smallest difference in the interval as a share of the larger level.
	Least  float64
	Rounds int
}

// DifferingMetrics are the metrics that differ, the one with the largest Least first. Left
// out are constants, which are settings; what differs in a single reading of each trial
// alone; and counters that follow throughput, which differ per second but not per
// transaction. A sealed run has none.
func DifferingMetrics(res *Result) []Differing {
	var all []Differing
	if res.Sealed {
		return all
	}
	for i := range res.Arms {
		arm := &res.Arms[i]
		base := (comparison{res: res}).base(arm.Threads)
		if base == nil || arm.Baseline || arm.forbidden {
			continue
		}
		all = append(all, metricsApart(base, arm)...)
	}
	slices.SortStableFunc(all, func(a, b Differing) int { return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(a.Name, b.Name)) })
	return all
}

// level is a metric in the window of one trial.
type level struct {
	mean    float64
	without float64 // without the one reading that is farthest from the median
	varies  bool    // within the window
}

// watchedLevels are the metrics of an arm by name, then round.
type watchedLevels struct {
	metrics map[string]record.Metric
	of      map[string]map[int]level
}

func metricsApart(base, arm *Arm) []Differing {
	before, after := levelsOf(base), levelsOf(arm)
	var names []string
	for name, of := range after.of {
		if m := after.metrics[name]; moves(m, of) || moves(m, before.of[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var all []Differing
	for _, name := range names {
		d := Differing{Metric: after.metrics[name], Arm: arm.Name, Threads: arm.Threads}
		if d.compare(before.of[name], after.of[name], error95/float64(len(names)), arm.stopping) && !followsThroughput(arm, d.Metric) {
			all = append(all, d)
		}
	}
	return all
}

// moves is false of a counter that never counted and of a level that is the same in all
// readings.
func moves(m record.Metric, of map[int]level) bool {
	var means []float64
	for _, l := range of {
		if l.varies || m.Counter && l.mean != 0 {
			return true
		}
		means = append(means, l.mean)
	}
	return len(means) > 0 && slices.Min(means) != slices.Max(means)
}

// followsThroughput says of a counter that it may be the same for each transaction.
func followsThroughput(arm *Arm, m record.Metric) bool {
	c, ok := arm.Counter(m.Name)
	return m.Counter && (!ok || c.Interval == nil || c.Interval.Lo <= 0 && c.Interval.Hi >= 0)
}

// compare is false where the levels may be the same.
func (d *Differing) compare(base, arm map[int]level, alpha float64, s stopping) bool {
	var rounds []int
	for r := range arm {
		if _, both := base[r]; both {
			rounds = append(rounds, r)
		}
	}
	if d.Rounds = len(rounds); d.Rounds < 2 {
		return false
	}
	slices.Sort(rounds) // sums do not depend on the map's order then
	whole, without := byRounds{}, byRounds{}
	var bases, levels []float64
	for _, r := range rounds {
		whole[r], without[r] = arm[r].mean-base[r].mean, arm[r].without-base[r].without
		bases, levels = append(bases, base[r].mean), append(levels, arm[r].mean)
	}
	d.Base, d.Level = stats.Mean(bases), stats.Mean(levels)
	if isConstant(bases) && isConstant(levels) {
		return false
	}
	in, rest := s.interval(whole, alpha), s.interval(without, alpha)
	if in == nil || rest == nil {
		return false
	}
	d.Interval = *in
	d.Least = math.Min(math.Abs(d.Interval.Lo), math.Abs(d.Interval.Hi)) / math.Max(math.Abs(d.Base), math.Abs(d.Level))
	return in.Lo > 0 && rest.Lo > 0 || in.Hi < 0 && rest.Hi < 0
}

// steadyAs is how little, as a share, the level of a setting or a clock changes from round
// to round: ten periods of a quota each second are 0.03 %, whatever is measured 0.5 % or more.
const steadyAs = 0.002

func isConstant(levels []float64) bool {
	return stats.SD(levels) <= steadyAs*math.Abs(stats.Mean(levels))
}

func levelsOf(a *Arm) watchedLevels {
	all := watchedLevels{map[string]record.Metric{}, map[string]map[int]level{}}
	for _, w := range watch(a.firsts()) {
		for name, l := range w.levels(all.metrics) {
			if all.of[name] == nil {
				all.of[name] = map[int]level{}
			}
			all.of[name][w.trial.Header.Round] = l
		}
	}
	return all
}

// levels are the window's means, of counters their change per second, and what single readings
// tell of them. It adds the trial's metrics to those that are known.
func (w watched) levels(metrics map[string]record.Metric) map[string]level {
	readings := map[string][]float64{}
	for r := range Readings(w.trial) {
		v := r.Value
		if r.Counter {
			v = r.PerSecond()
		}
		if r.InWindow && !math.IsNaN(v) && !math.IsInf(v, 0) {
			metrics[r.Name] = *r.Metric
			readings[r.Name] = append(readings[r.Name], v)
		}
	}
	all := map[string]level{}
	for name, of := range readings {
		mean, known := w.mean[name]
		if metrics[name].Counter {
			mean, known = w.change[name]/w.seconds, has(w.change, name)
		}
		if known {
			all[name] = levelOf(mean, of)
		}
	}
	return all
}

func has(m map[string]float64, name string) bool {
	_, ok := m[name]
	return ok
}

// levelOf is a mean with its readings. Without one of them it is the mean of the others.
func levelOf(mean float64, readings []float64) level {
	l := level{mean: mean, without: mean}
	middle := stats.Median(readings)
	far, sum := 0, 0.0
	for i, v := range readings {
		sum += v
		l.varies = l.varies || v != readings[0]
		if math.Abs(v-middle) > math.Abs(readings[far]-middle) {
			far = i
		}
	}
	if n := len(readings); n > 1 {
		l.without = (sum - readings[far]) / float64(n-1)
	}
	return l
}
