package compare

// This file says where the rounds of a contrast are not what its interval assumes: independent, and of
// one kind.

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Serial is the dependence of a contrast's log-ratios on those of the round before.
type Serial struct {
	// Rho is the correlation of neighbouring rounds, P the probability of one as large where rounds
	// do not depend on each other.
	Rho, P float64
	// Factor is how much wider the 95 % interval is for it; 1 where P is above 0.05.
	Factor float64
}

// Starts are rounds of a contrast that are of another kind than the others: starts of a server at
// another level.
type Starts struct {
	// Arm is the arm whose throughput differs more in these rounds: the contrast's or the baseline.
	Arm    string
	Rounds []int
	// Change is that arm's throughput there against its other rounds, in %.
	Change float64
	// Share bounds how often such a start is, in % of all starts, at 95 %.
	Share Interval
}

// Limits is what the rounds of a run cannot show, as probabilities by simulation.
type Limits struct {
	Rounds int
	// RareShare is the share of starts of a rare mode, RareAbsent the probability that none of the rounds has one.
	RareShare, RareAbsent float64
	// Rho is a correlation of neighbouring rounds, RhoNoticed the probability that the test finds it; NaN
	// below the test's least number of rounds.
	Rho, RhoNoticed float64
}

const (
	serialLevel = 0.05
	serialDraws = 4999
	serialSeed  = 1
	rareShare   = 0.1
	limitRho    = 0.5
	// limitMost bounds the time of a simulation; above it, nearly every run notices the correlation.
	limitMost = 60
)

// limits are those of the contrast with the fewest rounds; nil while there is no interval.
func limits(r *record.Run, res *Result) *Limits {
	fewest := 0
	for _, c := range res.Contrasts {
		if c.Interval95 != nil && (fewest == 0 || c.Rounds < fewest) {
			fewest = c.Rounds
		}
	}
	if fewest == 0 || r.Imported != nil {
		return nil
	}
	return &Limits{
		Rounds: fewest, RareShare: rareShare, RareAbsent: math.Pow(1-rareShare, float64(fewest)),
		Rho: limitRho, RhoNoticed: stats.SerialNoticed(min(fewest, limitMost), limitRho),
	}
}

// inTime are pairs in the order in which their rounds were measured: one that was repeated comes last.
func inTime(pairs []Pair, arm *Arm) []Pair {
	at := map[int]int{}
	for i, t := range arm.inTime() {
		at[t.Header.Round] = i
	}
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(x, y Pair) int { return at[x.Round] - at[y.Round] })
	return sorted
}

// inTime are the arm's trials, without those of a baseline's second ones, in the order in which they were measured.
// Rounds follow each other, and the clock says when one was measured that was set aside. A clock that was set back
// between two others does not: by it, the run would have begun in the middle. Then the rounds that were set aside
// are last.
func (a *Arm) inTime() []*record.Trial {
	byClock := func(x, y *record.Trial) int { return x.Header.Started.Compare(y.Header.Started) }
	var planned, repeated []*record.Trial
	for _, t := range a.firsts() {
		if a.setAside[t.Header.Round] {
			repeated = append(repeated, t)
		} else {
			planned = append(planned, t)
		}
	}
	slices.SortStableFunc(planned, func(x, y *record.Trial) int { return x.Header.Round - y.Header.Round })
	all := append(planned, repeated...)
	if slices.IsSortedFunc(planned, byClock) {
		slices.SortStableFunc(all, byClock)
	}
	return all
}

// lookAtRounds tests the rounds of a contrast. The order of imported trials is not known.
func (j comparison) lookAtRounds(c *Contrast, e *estimate, base, arm *Arm) {
	if j.run.Imported != nil {
		return
	}
	if c.Serial = e.serial(logRatios(inTime(c.Pairs, arm))); c.Serial != nil {
		c.Starts = j.starts(*c, base, arm)
	}
}

// serial widens the intervals of an estimate whose rounds depend on each other. Both intervals stay
// about the mean, and none becomes narrower.
func (e *estimate) serial(d []float64) *Serial {
	found, err := stats.SerialDependence(d, serialDraws, serialSeed)
	if err != nil || !e.haveInterval {
		return nil
	}
	s := &Serial{Rho: found.Rho, P: found.P, Factor: 1}
	if s.P > serialLevel {
		return s
	}
	before := e.in95.Hi - e.in95.Lo
	for alpha, in := range map[float64]*Interval{0.05: &e.in95, 0.10: &e.in90} {
		*in = in.dependent(e.mean, d, alpha/float64(max(1, e.family)))
	}
	s.Factor = (e.in95.Hi - e.in95.Lo) / before
	return s
}

// widened are bounds of rounds in their order that are wider where one depends on the one before. They stay
// about the mean, and none becomes narrower.
func widened(plain bounds) bounds {
	return func(d []float64, alpha float64) (lo, hi float64) {
		lo, hi = plain(d, alpha)
		if found, err := stats.SerialDependence(d, serialDraws, serialSeed); err != nil || found.P > serialLevel || math.IsInf(hi, 0) {
			return lo, hi
		}
		in := Interval{lo, hi}.dependent(stats.Mean(d), d, alpha)
		return in.Lo, in.Hi
	}
}

// widening is how many times as wide as Student's 95 % interval these bounds are; 1 where neither has a width.
func (b bounds) widening(d []float64) float64 {
	lo, hi := b(d, error95)
	if lo == hi {
		return 1
	}
	plainLo, plainHi := stats.TInterval(d, error95)
	return (hi - lo) / (plainHi - plainLo)
}

// dependent is the interval of values that depend on each other, about their mean. It is never narrower.
func (i Interval) dependent(mean float64, d []float64, alpha float64) Interval {
	half := math.Max((i.Hi-i.Lo)/2, stats.DependentHalfWidth(d, alpha))
	return Interval{mean - half, mean + half}
}

// ofRun is the dependence of the rounds of one arm by itself, in the order in which they were measured, with how much
// larger it makes the standard error of their mean: nil below six rounds.
func ofRun(y []float64, alpha float64) *Serial {
	found, err := stats.SerialDependence(y, serialDraws, serialSeed)
	if err != nil {
		return nil
	}
	s := &Serial{Rho: found.Rho, P: found.P, Factor: 1}
	if s.P <= serialLevel {
		lo, hi := stats.TInterval(y, alpha)
		s.Factor = math.Max(1, stats.DependentHalfWidth(y, alpha)/((hi-lo)/2))
	}
	return s
}

// caveats are where the rounds are not what the interval assumes.
func (c Contrast) caveats() []Reason {
	var all []Reason
	if s := c.Serial; s != nil && s.P <= serialLevel {
		all = append(all, reason(roundsDepend).num("rho", s.Rho).num("p", s.P).num("factor", s.Factor))
	}
	if s := c.Starts; s != nil {
		all = append(all, reason(startModes).name("arm", s.Arm).count("n", len(s.Rounds)).count("of", len(c.Pairs)).num("change", s.Change).num("lo", s.Share.Lo).num("hi", s.Share.Hi))
	}
	return all
}

// The codes of caveats.
const (
	roundsDepend = "rounds-depend"
	startModes   = "start-modes"
	runDepends   = "rounds-of-run-depend"
	runsDepend   = "runs-depend"
)

// Caveat says whether a reason is about the rounds, and did not decide the verdict.
func Caveat(r Reason) bool {
	return slices.Contains([]string{roundsDepend, startModes, runDepends, runsDepend}, r.Code)
}

// starts are the rounds of another kind, of a gap that matters: beyond the margin.
func (j comparison) starts(c Contrast, base, arm *Arm) *Starts {
	m := stats.StartModesOf(logRatios(c.Pairs), j.modes)
	if !m.Found || math.Abs(math.Expm1(m.Gap)) <= j.res.Margin {
		return nil
	}
	s := &Starts{Share: Interval{100 * m.Lo95, 100 * m.Hi95}}
	var few, rest [2][]float64
	for i, p := range c.Pairs {
		side := &rest
		if slices.Contains(m.Fewer, i) {
			side, s.Rounds = &few, append(s.Rounds, p.Round)
		}
		side[0], side[1] = append(side[0], math.Log(p.Baseline)), append(side[1], math.Log(p.Arm))
	}
	ofBase, ofArm := stats.Mean(few[0])-stats.Mean(rest[0]), stats.Mean(few[1])-stats.Mean(rest[1])
	s.Arm, s.Change = arm.Name, stats.Percent(ofArm)
	if math.Abs(ofBase) > math.Abs(ofArm) {
		s.Arm, s.Change = base.Name, stats.Percent(ofBase)
	}
	return s
}
