package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// EnoughRounds is the number of rounds from which the sign-flip test of one of k
// contrasts can reach 5 %: its smallest p is k*2/2^n. 6 for one contrast, 7 for two,
// 9 for eight. A comparison of fewer is exploratory.
func EnoughRounds(k int) int {
	n := 1
	for float64(max(1, k))*2/math.Exp2(float64(n)) > 0.05 {
		n++
	}
	return n
}

// Contrast is an arm against the baseline at one level of the load. Effect and
// intervals are the change of throughput in per cent, negative when slower.
type Contrast struct {
	Arm, Baseline string
	Threads       int
	Pairs         []Pair // empty for an imported run
	// Effect is NaN where none may be shown.
	Effect                 float64
	Interval95, Interval90 *Interval
	Kind                   string
	Family                 int
	Rounds                 int // pairs; for an imported run the trials of the smaller arm
	SignFlipP              float64
	Verdict                Verdict
	PastMargin             string
	Reason                 string
	Exploratory            bool
	// Variants are the effect computed from parts of the data; empty below five
	// rounds and without an interval.
	Variants []Variant
	// More is how many more rounds should narrow the interval to the margin; 0
	// when the verdict is not inconclusive or it cannot be known.
	More int
}

// comparison holds what all contrasts of a run have in common.
type comparison struct {
	run    *record.Run
	res    *Result
	family int
	pilot  int
	floors []NoiseFloor
	// joint are the simultaneous intervals, where the plan licenses them.
	joint map[cell]stats.Simultaneous
	// levels are those of the present look, by the error rate of all.
	levels map[float64]float64
	// machineSlow are the trials before which the sentinel was off.
	machineSlow map[int]bool
}

func newComparison(r *record.Run, res *Result) comparison {
	j := comparison{run: r, res: res, machineSlow: slowMachine(r), levels: map[float64]float64{}}
	for i := range res.Arms {
		if claimed(r, &res.Arms[i]) {
			j.family++
		}
	}
	if e := r.Experiment; e != nil && r.Imported == nil && e.Protocol.Rounds.Stopping() == experiment.Pilot {
		j.pilot = e.Protocol.Rounds.Pilot
	}
	j.joint = j.simultaneous()
	return j
}

// claimed says that an arm is set against the baseline: those of the file, and
// the full stack of an attribution. The combinations between them serve the
// attribution, and 2^k contrasts would widen the intervals that are asked for.
func claimed(r *record.Run, a *Arm) bool {
	if a.Baseline || r.Experiment == nil || r.Experiment.Attribute == nil {
		return !a.Baseline
	}
	spec, _ := r.Experiment.Arm(a.Name)
	return len(spec.Layers) == 0 || a.Name == r.Experiment.Attribute.Full()
}

// contrast goes through what forbids a comparison, the strongest first, and
// compares when nothing does.
func (j comparison) contrast(arm *Arm) Contrast {
	c := Contrast{
		Arm: arm.Name, Baseline: j.res.Baseline, Threads: arm.Threads,
		Effect: math.NaN(), SignFlipP: math.NaN(), Family: j.family,
	}
	base := j.base(arm.Threads)
	if base == nil {
		return c.say(NotMeasured, fmt.Sprintf("the baseline %s was not measured with %d threads", c.Baseline, arm.Threads))
	}
	c.Rounds = min(len(arm.numbers()), len(base.numbers()))
	if j.run.Imported == nil {
		c.Pairs = pairs(base.firsts(), arm.firsts())
		c.Rounds = len(c.Pairs)
	}
	for _, forbids := range j.obstacles() {
		if forbids(&c, base, arm) {
			return c
		}
	}
	return j.compare(c, base, arm)
}

// obstacles are what forbids a comparison, the strongest first.
func (j comparison) obstacles() []func(c *Contrast, base, arm *Arm) bool {
	return []func(*Contrast, *Arm, *Arm) bool{j.sealed, j.unequal, j.broken, j.numberless, j.heldUp}
}

func (c Contrast) say(v Verdict, reason string) Contrast {
	c.Verdict, c.Reason = v, reason
	return c
}

func (j comparison) base(threads int) *Arm { return j.arm(j.res.Baseline, threads) }

func (j comparison) arm(name string, threads int) *Arm {
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; a.Name == name && a.Threads == threads {
			return a
		}
	}
	return nil
}

func (j comparison) sealed(c *Contrast, _, _ *Arm) bool {
	if j.res.Sealed {
		*c = c.say(Sealed, fmt.Sprintf("%d of %d rounds are complete; an effect seen early invites stopping when it looks right",
			j.res.RoundsComplete, j.res.RoundsPlanned))
		c.Pairs = nil
	}
	return j.res.Sealed
}

// unequal names what makes the two servers different things.
func (j comparison) unequal(c *Contrast, _, _ *Arm) bool {
	var keys []string
	for _, d := range j.res.Differences {
		if d.breaks(c.Baseline, c.Arm) {
			keys = append(keys, fmt.Sprintf("%s (%s: %s, %s: %s)", d.Key,
				c.Baseline, shown(d.Values[c.Baseline]), c.Arm, shown(d.Values[c.Arm])))
		}
	}
	if len(keys) == 0 {
		return false
	}
	more := ""
	if n := len(keys) - 3; n > 0 {
		keys, more = keys[:3], fmt.Sprintf(" and %d more", n)
	}
	*c = c.say(Invalid, fmt.Sprintf("%s and %s differ in what the experiment does not declare: %s%s; make it equal, or declare it in the arm's config",
		c.Baseline, c.Arm, strings.Join(keys, ", "), more))
	c.Pairs = nil
	return true
}

func shown(v string) string {
	if v == "" {
		return "not set"
	}
	if r := []rune(v); len(r) > 24 {
		return string(r[:24]) + "..."
	}
	return v
}

// broken is an arm of which nothing but failures is on record.
func (j comparison) broken(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if n := a.count(failed); n > 0 && n == len(a.Trials) {
			*c = c.say(Failed, fmt.Sprintf("all %d trials of %s failed%s", n, a.Name, firstReason(a, failed)))
			return true
		}
	}
	return false
}

// numberless deals with rounds in which a server was never ready or committed
// nothing. They are what happened to the arm. Leaving them out would compare
// only the rounds in which it was well, so there is no interval.
func (j comparison) numberless(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		n := a.count(numberless)
		if n == 0 {
			continue
		}
		reason := a.without(n, j.run.Imported == nil) + firstReason(a, numberless)
		if share, periods, ok := a.Throttled(); ok {
			reason += fmt.Sprintf("; its cgroup was throttled in %.0f %% of %.0f scheduler periods", 100*share, periods)
		}
		if ratio, ok := a.Waited(); ok {
			reason += fmt.Sprintf("; its threads waited %.1f s for a CPU for each second they ran", ratio)
		}
		c.Pairs = nil
		if len(a.numbers()) == 0 {
			*c = c.say(NotMeasured, reason)
		} else {
			*c = c.say(Inconclusive, reason+"; an interval over the other rounds would describe only those in which it ran")
		}
		return true
	}
	return false
}

// without counts the trials that gave no number, in words.
func (a *Arm) without(n int, rounds bool) string {
	unit := "trials"
	if rounds {
		unit = "rounds"
	}
	who := "the server"
	if a.Baseline {
		who = "the baseline's server"
	}
	total := n + len(a.numbers())
	notReady, starved := a.Outcomes[string(record.NotReady)], n-a.Outcomes[string(record.NotReady)]
	switch {
	case starved == 0:
		return fmt.Sprintf("%s never became ready in %d of %d %s", who, n, total, unit)
	case notReady == 0:
		return fmt.Sprintf("%s committed nothing in %d of %d %s", who, n, total, unit)
	}
	return fmt.Sprintf("%s never became ready in %d and committed nothing in %d of %d %s", who, notReady, starved, total, unit)
}

func firstReason(a *Arm, k trialKind) string {
	for _, t := range a.Trials {
		if kind(t) == k && t.End.Reason != "" {
			return fmt.Sprintf(" (trial %d: %s)", t.Header.Trial, t.End.Reason)
		}
	}
	return ""
}

// compare is the estimate with its verdict.
func (j comparison) compare(c Contrast, base, arm *Arm) Contrast {
	var e estimate
	if j.run.Imported != nil {
		e = welch(base, arm, j.family)
	} else {
		e = j.paired(c)
	}
	c.Effect, c.Kind, c.SignFlipP = stats.Percent(e.mean), e.kind, e.signFlip
	if !e.haveInterval {
		c.SignFlipP = math.NaN()
		return c.say(Inconclusive, j.tooFew(base, arm, c.Rounds))
	}
	in95, in90, margin := e.in95.percent(), e.in90.percent(), 100*j.res.Margin
	c.Interval95, c.Interval90 = &in95, &in90
	c.Exploratory = c.Rounds < EnoughRounds(j.family)
	v := VerdictOf(in95, in90, margin)
	c.PastMargin = pastMargin(v, in95, margin)
	if v == Inconclusive && !math.IsNaN(e.sd) {
		need := stats.RoundsForFamily(e.sd, math.Log1p(j.res.Margin), c.Rounds, j.family)
		c.More = max(0, need-c.Rounds)
	}
	c = c.say(v, because(v, c, margin, j.run.Imported != nil))
	return j.robustness(j.aboveTheFloor(c))
}

// within counts the pairs of the first rounds: a round of the pilot that failed
// is not replaced by a later one.
func within(pairs []Pair, rounds int) int {
	n := 0
	for _, p := range pairs {
		if p.Round <= rounds {
			n++
		}
	}
	return n
}

// tooFew says why there is no interval, and what would give one.
func (j comparison) tooFew(base, arm *Arm, rounds int) string {
	if j.run.Imported == nil && rounds >= 2 {
		return fmt.Sprintf("%s are too few for an interval that may be looked at at any time; more come by themselves, up to %d", plural(rounds, "complete round"), j.run.Plan.MaxRounds)
	}
	if j.run.Imported == nil {
		return fmt.Sprintf("%s; two are the least that show a spread, and %d or more make a verdict: raise protocol.rounds and run again", plural(rounds, "complete round"), EnoughRounds(j.family))
	}
	what := "one trial per arm"
	if nb, na := len(base.numbers()), len(arm.numbers()); nb != 1 || na != 1 {
		what = fmt.Sprintf("%s has %s and %s has %s", base.Name, plural(nb, "trial"), arm.Name, plural(na, "trial"))
	}
	return what + ": seconds within a run are not repetitions; how much one start of the server differs from the next is not in them." +
		" Import several runs of each arm (ARM=FILE more than once), or measure it with tare run"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// because is the rule that led to the verdict.
func because(v Verdict, c Contrast, margin float64, imported bool) string {
	reason := map[Verdict]string{
		Costs:        "the 95 %% interval lies below zero and the 90 %% interval is not inside the margin of %g %%",
		Gains:        "the 95 %% interval lies above zero and the 90 %% interval is not inside the margin of %g %%",
		WithinMargin: "the 95 %% interval excludes zero, but the 90 %% interval lies inside the margin of %g %%",
		Equivalent:   "the 90 %% interval lies inside the margin of %g %% and the 95 %% interval holds zero",
		Inconclusive: "the 95 %% interval holds zero and the 90 %% interval is not inside the margin of %g %%",
	}[v]
	reason = fmt.Sprintf(reason, margin)
	if c.Exploratory {
		unit := "round"
		if imported {
			unit = "trial"
		}
		reason += fmt.Sprintf("; exploratory, with only %s", plural(c.Rounds, unit))
	}
	if imported {
		reason += "; the order of the trials and their pairing are unknown, so a drift of the machine between the arms would look like an effect"
	}
	return reason
}
