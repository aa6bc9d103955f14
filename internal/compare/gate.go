package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Gate is a condition under which a comparison counts as failed: throughput<-3%, the change of
// throughput, negative when slower; or p99>20%, that of a percentile of latency, positive when longer.
type Gate struct {
	Text string
	// Percentile is "95" or "99", "" where the condition is about throughput.
	Percentile string
	less       bool
	bound      float64 // %
}

var gatePattern = regexp.MustCompile(`^\s*(?:throughput|p(95|99))\s*([<>])\s*([+-]?\d+(?:\.\d+)?)\s*%\s*$`)

// ParseGate reads a condition.
func ParseGate(text string) (Gate, error) {
	m := gatePattern.FindStringSubmatch(text)
	if m == nil {
		return Gate{}, fmt.Errorf("%q is not a condition; use throughput<-3%% (slower by more than 3 %%), p95>20%% or p99>20%% (longer by more than 20 %%)", text)
	}
	bound, err := strconv.ParseFloat(m[3], 64)
	if err != nil {
		return Gate{}, fmt.Errorf("read condition %q: %w", text, err)
	}
	if m[1] != "" && m[2] == "<" {
		return Gate{}, fmt.Errorf("%q would fail where latency is not longer: a condition on latency has >, for example p%s>20%% (longer by more than 20 %%)", text, m[1])
	}
	if m[1] == "" && m[2] == "<" && bound > 0 && !strings.HasPrefix(m[3], "+") {
		return Gate{}, fmt.Errorf("%q would fail an arm that is as fast: it is met by all that is not faster by %s %%; did you mean throughput<-%s%% (slower by more than %s %%)?", text, m[3], m[3], m[3])
	}
	if m[1] == "" && m[2] == ">" && !strings.HasPrefix(m[3], "+") {
		size := strings.TrimPrefix(m[3], "-")
		return Gate{}, fmt.Errorf("%q would fail an arm that is faster and pass one that is slower; did you mean throughput<-%s%% (slower by more than %s %%)? To fail a gain, write throughput>+%s%%", text, size, size, size)
	}
	return Gate{Text: text, Percentile: m[1], less: m[2] == "<", bound: bound}, nil
}

// GateOutcome is what a gate makes of a contrast.
type GateOutcome struct {
	Gate    string
	Arm     string
	Failed  bool
	Reasons []Reason
}

// Of judges by the 95 % interval: a gate fails when all of it meets the condition, so that noise alone does not
// stop a release. Where there is no verdict (too few rounds, no interval, a verdict that was taken back, a
// percentile that is not compared), the condition stays open; where the trials of one of the two failed, so that it was
// not measured, it fails. strict fails also what is open.
// Tails are the percentiles of the contrast, which is of two runs with that margin.
func (g Gate) Of(c Contrast, tails []SessionTail, margin float64, strict bool) GateOutcome {
	switch {
	case c.Interval95 == nil, c.Busy, g.Percentile == "" && c.takenBack(margin):
		return g.withoutVerdict(c, strict)
	case g.Percentile == "":
		return g.ofInterval(c, c.Interval95, c.Rounds, "gate-trials-each", strict)
	}
	for _, t := range tails {
		if t.Percentile == g.Percentile && t.Explained != nil {
			return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-no-verdict").part("why", *t.Explained)}}
		}
		if t.Percentile == g.Percentile && t.Interval != nil {
			return g.ofInterval(c, t.Interval, min(t.Before.Trials, t.After.Trials), "gate-trials-each", strict)
		}
		if t.Percentile == g.Percentile {
			return g.withoutTail(c, t.NoChange, strict)
		}
	}
	return g.withoutTail(c, NoRun, strict)
}

// OfRun is Of for a contrast of a run, whose arms have the changes of the percentiles.
func (g Gate) OfRun(r *Result, c Contrast, strict bool) GateOutcome {
	switch {
	case c.Interval95 == nil, c.Busy, g.Percentile == "" && c.takenBack(r.Margin):
		return g.withoutVerdict(c, strict)
	case g.Percentile == "":
		return g.ofInterval(c, c.Interval95, c.Rounds, "gate-rounds", strict)
	}
	i := slices.IndexFunc(r.Arms, func(a Arm) bool { return a.Name == c.Arm && a.Threads == c.Threads })
	why := Missing
	if i >= 0 {
		for _, t := range r.Arms[i].Tails {
			switch {
			case t.Percentile != g.Percentile:
			case t.CostInterval == nil:
				why = t.NoChange
			case t.takenBack(r.Margin): // only what others used takes that of a percentile back
				return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-no-verdict").part("why", r.Others.explanation())}}
			default:
				return g.ofInterval(c, t.CostInterval, t.Rounds, "gate-rounds", strict)
			}
		}
	}
	return g.withoutTail(c, why, strict)
}

// noTail is why a condition on a percentile is open: what is known of why its change has no interval.
func noTail() map[string]string {
	return map[string]string{
		Few: "gate-tail-few", Apart: "gate-tail-apart", NoBaseline: "gate-tail-no-baseline", Missing: "gate-tail-missing",
		OtherRates: "gate-tail-rates", Numberless: "gate-tail-numberless", OneRun: "gate-tail-one-run", NoRun: "gate-tail-no-run", OfAll: "gate-tail-of-all",
	}
}

// withoutTail is open: nothing was shown of the percentile, for the reason that the comparison holds; without one, none is
// given.
func (g Gate) withoutTail(c Contrast, why string, strict bool) GateOutcome {
	if thin, ok := c.thin[g.Percentile]; ok && slices.Contains([]string{Missing, NoBaseline, OneRun, NoRun, OfAll}, why) {
		return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-tail-thin").name("p", g.Percentile).part("why", thin)}}
	}
	code := cmp.Or(noTail()[why], "gate-no-tail")
	return GateOutcome{g.Text, c.Arm, strict, []Reason{reason(code).name("p", g.Percentile)}}
}

// withoutVerdict is open for the reasons for which the contrast has no verdict. Where an arm's server did not start or
// committed nothing, that is what the run shows of it, and the gate fails.
func (g Gate) withoutVerdict(c Contrast, strict bool) GateOutcome {
	if c.trialsFailed() {
		return GateOutcome{g.Text, c.Arm, true, []Reason{reason("gate-unmeasured").part("why", c.Reasons...)}}
	}
	return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-no-verdict").part("why", c.Reasons...)}}
}

// ofInterval judges by the interval of throughput or of a percentile, which is of n rounds or trials, where they
// are enough for a verdict.
func (g Gate) ofInterval(c Contrast, in *Interval, n int, unit string, strict bool) GateOutcome {
	of := reason(unit).count("n", n)
	if n < Least(c.Kind) {
		return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-early").part("of", of).count("enough", Enough(c.Kind, c.Family))}}
	}
	return g.judge(c.Arm, *in, of, strict)
}

// gateCodes are the reasons that an interval gives for the outcome of a condition.
type gateCodes struct{ within, notRuledOut, open, ruledOut string }

func (g Gate) codes() gateCodes {
	if g.Percentile == "" {
		return gateCodes{"gate-within", "gate-not-ruled-out", "gate-open", "gate-ruled-out"}
	}
	return gateCodes{"gate-tail-within", "gate-tail-not-ruled-out", "gate-tail-open", "gate-tail-ruled-out"}
}

// changeOf is an interval with at least one decimal, and with so many that an end which is not the bound does not read
// as it: an interval of -23 to -3 % would not lie within a condition of less than -3 %.
func (g Gate) changeOf(in Interval) Reason {
	shown := []struct {
		code   string
		digits int
	}{{"gate-change-1", 1}, {"gate-change-2", 2}, {"gate-change-3", 3}, {"gate-change-6", 6}}
	digits := 2
	if half := (in.Hi - in.Lo) / 2; half > 0 {
		digits = min(3, max(1, 1-int(math.Floor(math.Log10(half)))))
	}
	i := digits - 1
	for i < len(shown)-1 && (g.readsAsBound(in.Lo, shown[i].digits) || g.readsAsBound(in.Hi, shown[i].digits)) {
		i++
	}
	return reason(shown[i].code).num("lo", in.Lo).num("hi", in.Hi)
}

// readsAsBound says that a value, rounded, is not on the side of the bound that it is on.
func (g Gate) readsAsBound(v float64, digits int) bool {
	scale := math.Pow10(digits)
	return v != g.bound && cmp.Compare(math.Round(v*scale)/scale, g.bound) != cmp.Compare(v, g.bound)
}

// judge is the outcome by an interval, which is of so many rounds or trials.
func (g Gate) judge(arm string, in Interval, of Reason, strict bool) GateOutcome {
	o := GateOutcome{Gate: g.Text, Arm: arm}
	codes := g.codes()
	code := codes.ruledOut
	all, some := in.Lo > g.bound, in.Hi > g.bound
	if g.less {
		all, some = in.Hi < g.bound, in.Lo < g.bound
	}
	switch {
	case all:
		o.Failed, code = true, codes.within
	case some && strict:
		o.Failed, code = true, codes.notRuledOut
	case some:
		code = codes.open
	}
	why := reason(code).part("change", g.changeOf(in)).part("of", of)
	if g.Percentile != "" {
		why = why.name("p", g.Percentile)
	}
	o.Reasons = []Reason{why}
	return o
}

// takenBack says that the intervals alone would bear a verdict, with so large a margin, and that something else about
// the run did not.
func (c *Contrast) takenBack(margin float64) bool {
	return c.Verdict == Inconclusive && !c.Early() && VerdictOf(*c.Interval95, *c.Interval90, 100*margin) != Inconclusive
}

// trialsFailed says that one of the two was not measured because its trials failed. Windows that do not hold for an arm
// and steps that are too short for a percentile are no failures of a trial.
func (c *Contrast) trialsFailed() bool {
	return c.Verdict == Failed || c.Verdict == NotMeasured && !slices.ContainsFunc(c.Reasons, func(r Reason) bool {
		return r.Code == capacityShort || strings.HasPrefix(r.Code, misfitCode)
	})
}

// Open says that the comparison neither meets the condition nor rules it out.
func (o GateOutcome) Open() bool {
	open := []string{"gate-open", "gate-tail-open", "gate-no-verdict", "gate-no-tail", "gate-tail-thin", "gate-early"}
	open = slices.AppendSeq(open, maps.Values(noTail()))
	return !o.Failed && slices.ContainsFunc(o.Reasons, func(r Reason) bool { return slices.Contains(open, r.Code) })
}
