package compare

// This file is how well the tail of an arm's response times is known: the percentiles of
// its trials, and their change from the baseline. The percentile of all requests together
// (Latency) has no interval of its own: requests of one trial share its state.

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/stats"
)

// Tail is one percentile of response times over the trials of an arm.
type Tail struct {
	Percentile string // "95" or "99"
	// Mean is the geometric mean of the trials' percentiles in milliseconds, Interval its
	// 95 % interval (Student's t over logarithms), nil below two trials.
	Mean     float64
	Interval *Interval
	Trials   int
	// Lowest and Highest are those of the trials, NoInterval is why there is no interval: Few or Apart.
	Lowest, Highest float64
	NoInterval      string
	// Cost is its change from the baseline over the rounds that both have, in % and
	// positive when slower: NaN for the baseline. CostInterval is its 95 % interval and CostInterval90
	// its 90 % interval, nil below two rounds. They hold together with those of all Family costs of the
	// run (FamilyLatency).
	Cost                         float64
	CostInterval, CostInterval90 *Interval
	Family                       int // 0 of the baseline
	Rounds                       int
	// NoChange is why the cost has no interval: Few, Apart, or NoBaseline.
	NoChange string
	// Verdict is that of the two intervals and the margin, as a contrast's is; "" without them.
	Verdict Verdict
	byRound byRounds // logarithms
	// changes are the logarithms of the change in each common round.
	changes []float64
}

// Why a figure has no interval: too few trials or rounds, trials that differ too much, or nothing to compare with.
const (
	Few        = "few"
	Apart      = "apart"
	NoBaseline = "no-baseline"
)

// Why a percentile is not compared besides: not every trial has it; of two runs, their rates differ, a trial has no number,
// only one of them has it, or none, or it is that of all requests of a run together.
const (
	Missing    = "missing"
	OtherRates = "other-rates"
	Numberless = "numberless"
	OneRun     = "one-run"
	NoRun      = "no-run"
	OfAll      = "of-all"
)

// tails are the percentiles that the field quotes. One that a trial lacks is left out for the
// arm: a trial has a percentile from a number of transactions on, so those that have it are
// the fastest trials, and what is measured must not decide which trials count.
func tails(windows []timedWindow, s stopping) []Tail {
	var all []Tail
	for _, p := range percentiles {
		if p.name != "95" && p.name != "99" {
			continue
		}
		t := Tail{Percentile: p.name, Cost: math.NaN(), byRound: byRounds{}}
		for _, w := range windows {
			ms := math.NaN()
			if l := w.latency; l != nil {
				ms = percentile(l.Histogram, []observed{{l, w.transactions}}, p.name, p.value)
			}
			if ms > 0 {
				t.byRound[s.roundOf(w.trial)] = math.Log(ms)
			}
		}
		if t.Trials = len(t.byRound); t.Trials == 0 || t.Trials < len(windows) {
			continue
		}
		t.Mean, t.Interval = s.geometric(t.byRound)
		logs := slices.Collect(maps.Values(t.byRound))
		t.Lowest, t.Highest = math.Exp(slices.Min(logs)), math.Exp(slices.Max(logs))
		switch {
		case t.Interval != nil:
		case s.alone(t.byRound) == nil:
			t.NoInterval = Few
		default:
			t.NoInterval = Apart
		}
		all = append(all, t)
	}
	return all
}

// tailsAgainst compares the tails of an arm with those of the baseline.
func (j comparison) tailsAgainst(base, arm *Arm) {
	for i := range arm.Tails {
		t := &arm.Tails[i]
		t.NoChange = NoBaseline
		for _, b := range base.Tails {
			if b.Percentile == t.Percentile {
				t.against(b, arm, j)
			}
		}
	}
}

func (t *Tail) against(base Tail, arm *Arm, j comparison) {
	d := changes(base.byRound, t.byRound)
	t.Family, t.NoChange = j.tailFamily(), Few
	if t.Rounds = len(d); t.Rounds == 0 {
		return
	}
	for _, round := range slices.Sorted(maps.Keys(d)) {
		t.changes = append(t.changes, d[round])
	}
	t.Cost = stats.Percent(stats.Mean(t.changes))
	in95, in90 := j.independent(d, error95/float64(t.Family)), j.independent(d, error90/float64(t.Family))
	if in95 == nil || in90 == nil {
		return
	}
	e := estimate{mean: stats.Mean(t.changes), in95: *in95, in90: *in90, rounds: t.Rounds, family: t.Family, haveInterval: true}
	if j.run.Imported == nil { // the order of imported trials is not known
		e.serial(changesInTime(d, arm))
	}
	if !e.in95.useful() {
		t.NoChange = Apart
		return
	}
	t.NoChange = ""
	*in95, *in90 = e.in95.percent(), e.in90.percent()
	t.CostInterval, t.CostInterval90 = in95, in90
	t.Verdict = j.res.Others.verdict(t.ofIntervals(j.res.Margin), *in95)
	if t.Rounds < Least("") {
		t.Verdict = Inconclusive
	}
}

// ofIntervals is the verdict of the intervals alone. Its rule is of a change that is negative when the arm is slower.
func (t *Tail) ofIntervals(margin float64) Verdict {
	turned := func(in *Interval) Interval { return Interval{-in.Hi, -in.Lo} }
	return VerdictOf(turned(t.CostInterval), turned(t.CostInterval90), 100*margin)
}

// takenBack says that the intervals alone would bear a verdict, of enough rounds, and that what others used did not.
func (t *Tail) takenBack(margin float64) bool {
	return t.Verdict == Inconclusive && t.Rounds >= Least("") && t.ofIntervals(margin) != Inconclusive
}

// changesInTime are the changes of rounds in the order in which they were measured.
func changesInTime(d byRounds, arm *Arm) (all []float64) {
	var rounds []Pair
	for _, round := range slices.Sorted(maps.Keys(d)) {
		rounds = append(rounds, Pair{Round: round})
	}
	for _, p := range inTime(rounds, arm) {
		all = append(all, d[p.Round])
	}
	return all
}

// tailFamily is how many costs of a percentile the run has: two of every arm but the baseline, at every
// level of the load, or at the fixed rate. It does not depend on which of them could be measured.
func (j comparison) tailFamily() int {
	n := 0
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; !a.Baseline && (!a.fixed || j.run.Experiment.AtRate(experiment.Trial{Arm: a.Name, Threads: a.Threads})) {
			n += 2
		}
	}
	return max(1, n)
}
