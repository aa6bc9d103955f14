package compare

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Contrast is an arm against the baseline at one level of the load. Effect and
// intervals are the change of throughput in %, negative when slower.
type Contrast struct {
	Arm, Baseline string
	Threads       int
	Pairs         []Pair // empty for an imported run
	// Effect is NaN where none may be shown.
	Effect float64
	// ArmLevel and BaselineLevel are the throughputs whose ratio is Effect: geometric means over the same rounds, or
	// trials where those have no pairs. NaN where nothing was compared.
	ArmLevel, BaselineLevel float64
	Interval95, Interval90  *Interval
	Kind                    string
	// FamilyName is the family that the intervals belong to, Family how many contrasts it has: the
	// 95 % intervals of all hold at once with that probability, and so do the 90 % intervals.
	FamilyName  string
	Family      int
	Rounds      int // pairs; for an imported run the trials of the smaller arm
	SignFlipP   float64
	Verdict     Verdict
	PastMargin  string
	Reasons     []Reason // the first is the one that decided
	Exploratory bool
	// Busy says that the verdict was taken back because others used the machine. Yields are the shares of other
	// processes while the arm and while the baseline were loaded, where they used more beside the arm; else zeros.
	Busy   bool
	Yields [2]float64
	// Variants are the effect computed from parts of the data; empty below five
	// rounds and without an interval.
	Variants []Variant
	// Serial is whether the rounds depend on each other, nil below six; Starts those of another
	// kind than the others, nil where there are none. Both are nil without an interval.
	Serial *Serial
	Starts *Starts
	newRun func() *NewRun // nil when the verdict is not inconclusive
	// thin is why p95 and p99 are not those of each trial, where its transactions are too few for them.
	thin map[string]Reason
}

// comparison holds what all contrasts of a run have in common.
type comparison struct {
	run    *record.Run
	res    *Result
	family int
	stopping
	// machineSlow are the trials before which the sentinel was off.
	machineSlow map[int]bool
	// modes looks for two kinds of rounds. All contrasts share its simulated null.
	modes *stats.TwoStatesTest
}

func newComparison(r *record.Run, res *Result) comparison {
	j := comparison{run: r, res: res, machineSlow: slowMachine(r), stopping: stoppingOf(r), modes: stats.NewTwoStatesTest(statesSeed)}
	for i := range res.Arms {
		if r.Experiment == nil && claimed(r, &res.Arms[i]) {
			j.family++
		}
	}
	if r.Experiment != nil {
		j.family = Family(r.Experiment)
	}
	return j
}

// Family is how many contrasts of an experiment share the error rate: every arm that
// is compared with the baseline, at every level of the load.
func Family(e *experiment.Experiment) int {
	n := 0
	for _, a := range e.Arms {
		if e.Compared(a) {
			n++
		}
	}
	return n * len(e.Load.Threads)
}

// claimed is whether an arm on record is compared with the baseline; all imported arms are.
func claimed(r *record.Run, a *Arm) bool {
	if a.Baseline || r.Experiment == nil {
		return !a.Baseline
	}
	spec, _ := r.Experiment.Arm(a.Name)
	return r.Experiment.Compared(spec)
}

// contrast goes through what forbids a comparison, the strongest first, and
// compares when nothing does.
func (j comparison) contrast(arm *Arm) Contrast {
	c := Contrast{
		Arm: arm.Name, Baseline: j.res.Baseline, Threads: arm.Threads,
		Effect: math.NaN(), ArmLevel: math.NaN(), BaselineLevel: math.NaN(), SignFlipP: math.NaN(), FamilyName: FamilyThroughput, Family: j.family,
	}
	base := j.base(arm.Threads)
	if base == nil {
		if c, ok := j.otherThreads(c); ok {
			return c
		}
		return c.say(NotMeasured, reason("baseline-not-measured").name("base", c.Baseline).count("threads", arm.Threads))
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
	return []func(*Contrast, *Arm, *Arm) bool{j.sealed, j.unequal, j.otherNodes, j.otherWork, j.broken, j.misfit, j.tooShort, j.numberless, j.heldUp}
}

// forbidden says whether an obstacle forbids comparing two arms, whichever two; of an arm and itself,
// whether it may be compared with any. An arm that differs from the run's baseline without a
// declaration is another server than its name says, so it is compared with no arm.
func (j comparison) forbidden(base, arm *Arm) bool {
	c := Contrast{Arm: arm.Name, Baseline: base.Name, Threads: arm.Threads}
	for _, forbids := range j.obstacles() {
		if forbids(&c, base, arm) {
			return true
		}
	}
	for _, a := range []*Arm{base, arm} {
		if c := (Contrast{Arm: a.Name, Baseline: j.res.Baseline}); j.unequal(&c, nil, nil) {
			return true
		}
	}
	return false
}

func (c Contrast) say(v Verdict, reasons ...Reason) Contrast {
	c.Verdict, c.Reasons = v, reasons
	return c
}

// base is the baseline at that load. Where a log does not say with how many connections it was made,
// it is compared with the only level of the other.
func (j comparison) base(threads int) *Arm {
	if a := j.arm(j.res.Baseline, threads); a != nil || j.run == nil || j.run.Imported == nil {
		return a
	}
	var levels []*Arm
	for i := range j.res.Arms {
		if a := &j.res.Arms[i]; a.Baseline {
			levels = append(levels, a)
		}
	}
	if len(levels) == 1 && (threads == 0 || levels[0].Threads == 0) {
		return levels[0]
	}
	return nil
}

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
		*c = c.say(Sealed, reason("rounds-complete").count("n", j.res.RoundsComplete).count("of", j.res.RoundsPlanned), reason("early-look"))
		c.Pairs = nil
	}
	return j.res.Sealed
}

// unequal names what makes the two servers different things.
func (j comparison) unequal(c *Contrast, _, _ *Arm) bool {
	var keys []Reason
	more := 0
	for _, d := range j.res.Differences {
		switch {
		case !d.breaks(c.Baseline, c.Arm):
		case len(keys) == 3:
			more++
		default:
			keys = append(keys, reason("two-values").name("key", d.Key).name("base", c.Baseline).name("was", shortened(d.Values[c.Baseline])).
				name("arm", c.Arm).name("is", shortened(d.Values[c.Arm])))
		}
	}
	if len(keys) == 0 {
		return false
	}
	if more > 0 {
		keys = append(keys, reason("and-more").count("n", more))
	}
	*c = c.say(Invalid, reason("undeclared-differences").name("base", c.Baseline).name("arm", c.Arm).part("keys", keys...), reason("make-equal"))
	c.Pairs = nil
	return true
}

// shortened is a value that two of which stand in a sentence.
func shortened(v string) string {
	if r := []rune(v); len(r) > 24 {
		return string(r[:24]) + "..."
	}
	return v
}

// broken is an arm of which nothing but failures is on record.
func (j comparison) broken(c *Contrast, base, arm *Arm) bool {
	for _, a := range []*Arm{arm, base} {
		if n := a.count(failed); n > 0 && n == len(a.Trials) {
			*c = c.say(Failed, reason("all-failed").count("n", n).name("arm", a.Name).part("why", firstSaid(a, failed)...))
			return true
		}
	}
	return false
}

// roundsBiased is the reason of a contrast without an interval because some rounds have no number.
const roundsBiased = "other-rounds-biased"

// numberless deals with rounds in which a server was never ready, committed nothing or
// was lost. They are what happened to the arm. Leaving them out would compare
// only the rounds in which it was well, so there is no interval.
func (j comparison) numberless(c *Contrast, base, arm *Arm) bool {
	both := []*Arm{arm, base}
	if len(base.numbers()) == 0 && len(arm.numbers()) > 0 { // one without any number has been measured less
		slices.Reverse(both)
	}
	for _, a := range both {
		n := a.count(numberless)
		if n == 0 {
			continue
		}
		reasons := []Reason{a.without(n, j.run.Imported == nil).part("why", firstSaid(a, numberless)...)}
		if share, periods, ok := a.Throttled(); ok {
			reasons = append(reasons, reason("throttled").num("share", 100*share).num("periods", periods))
		}
		if ratio, ok := a.Waited(); ok {
			reasons = append(reasons, reason("run-queue-wait").num("ratio", ratio))
		}
		c.Pairs = nil
		if len(a.numbers()) == 0 {
			*c = c.say(NotMeasured, reasons...)
		} else {
			*c = c.say(Inconclusive, append(reasons, reason(roundsBiased))...)
		}
		return true
	}
	return false
}

// without counts the trials that gave no number: of trials, or of the rounds they are in. A round with two trials of the
// baseline is no unit to count them by.
func (a *Arm) without(n int, rounds bool) Reason {
	unit, who := "trials", "server"
	if rounds && !slices.ContainsFunc(a.Trials, func(t *record.Trial) bool { return a.again[t.Header.Trial] }) {
		unit = "rounds"
	}
	if a.Baseline {
		who = "baseline"
	}
	notReady, lost := a.Outcomes[string(record.NotReady)], a.Outcomes[string(record.ServerLost)]
	starved, code := n-notReady-lost, "not-ready-and-starved"
	switch {
	case lost == n:
		code = "server-lost"
	case lost > 0:
		code = "server-lost-and-more"
	case starved == 0:
		code = "not-ready"
	case notReady == 0:
		code = "starved"
	}
	total := n + len(a.numbers())
	r := reason(code).part("who", reason("who-"+who)).count("ready", notReady).count("starved", starved).part("of", reason("of-"+unit).count("n", total))
	if lost > 0 {
		r = r.count("lost", lost).count("more", n-lost)
	}
	return r
}

// compare is the estimate with its verdict.
func (j comparison) compare(c Contrast, base, arm *Arm) Contrast {
	var e estimate
	if j.run.Imported != nil {
		e = welch(base, arm, j.family)
		c.levels(logs(base), logs(arm))
	} else {
		e = j.paired(c)
		c.levelsOfPairs()
	}
	c.Effect, c.Kind, c.SignFlipP = stats.Percent(e.mean), e.kind, e.signFlip
	c.Exploratory = c.Rounds < Enough(c.Kind, j.family) // with an interval or without
	if !e.haveInterval {
		c.SignFlipP = math.NaN()
		return j.busyMachine(c.say(Inconclusive, j.tooFew(base, arm, c.Rounds)...))
	}
	j.lookAtRounds(&c, &e, base, arm)
	if !e.in95.useful() {
		c.Kind, c.SignFlipP = "", math.NaN()
		return j.busyMachine(c.say(Inconclusive, append([]Reason{j.undetermined(c.Rounds, e.in95)}, c.caveats()...)...))
	}
	in95, in90, margin := e.in95.percent(), e.in90.percent(), 100*j.res.Margin
	c.Interval95, c.Interval90 = &in95, &in90
	v := c.verdict(margin)
	c.PastMargin = pastMargin(v, in95, margin)
	// More rounds of the same kind would not end what is serial; and one server against itself has no verdict to wait for.
	if v == Inconclusive && !c.Early() && (c.Serial == nil || c.Serial.P > serialLevel) && !oneServer(j.run, base, arm) {
		c.newRun = func() *NewRun { return j.newRun(e) }
	}
	c = c.say(v, because(v, c, margin, j.run.Imported != nil)...)
	c = j.standing(c)
	c.Reasons = append(c.Reasons, c.caveats()...)
	return c
}

// standing takes back a verdict that something else about the run than the intervals does not bear.
func (j comparison) standing(c Contrast) Contrast {
	return j.busyMachine(j.robustness(j.aboveTheFloor(c)))
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

// tooEarly says that a run which may end at any round has no interval yet.
func (j comparison) tooEarly(rounds int) []Reason {
	return []Reason{reason("too-few-for-open-looks").count("n", rounds), reason("more-rounds-follow").count("max", j.run.Plan.MaxRounds)}
}

// tooFew says why there is no interval, and what would give one.
func (j comparison) tooFew(base, arm *Arm, rounds int) []Reason {
	if j.run.Imported == nil && rounds >= 2 {
		return j.tooEarly(rounds)
	}
	if j.run.Imported == nil {
		return []Reason{reason("complete-rounds").count("n", rounds), reason("rounds-needed").count("enough", EnoughRounds(j.family))}
	}
	first := reason("one-trial-each")
	if nb, na := len(base.numbers()), len(arm.numbers()); nb != 1 || na != 1 {
		first = reason("trials-each").name("base", base.Name).count("nb", nb).name("arm", arm.Name).count("na", na)
	}
	return []Reason{first, reason("seconds-are-not-repetitions"), reason("import-more")}
}

// because is the rule that led to the verdict.
func because(v Verdict, c Contrast, margin float64, imported bool) []Reason {
	early := "early-rounds"
	if imported {
		early = "early-trials"
	}
	all := []Reason{reason("rule-"+string(v)).num("margin", margin)}
	switch {
	case c.Early():
		all = []Reason{reason(early).count("n", c.Rounds).count("enough", Enough(c.Kind, c.Family))}
	case c.Exploratory:
		all = append(all, reason("exploratory-rounds").count("n", c.Rounds))
	}
	if imported {
		all = append(all, reason("pairing-unknown"))
	}
	return all
}
