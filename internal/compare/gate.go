package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	return Gate{Text: text, Percentile: m[1], less: m[2] == "<", bound: bound}, nil
}

// GateOutcome is what a gate makes of a contrast.
type GateOutcome struct {
	Gate    string
	Arm     string
	Failed  bool
	Reasons []Reason
}

// Of judges by the 95 % interval: a gate fails when all of it meets the condition,
// so that noise alone does not stop a release, and where there is no interval at
// all, because nothing was shown. strict fails also where a part of it meets the
// condition. Where the verdict was taken back, the interval judges nothing: the condition stays open.
// A percentile is not judged here (OfRun).
func (g Gate) Of(c Contrast, strict bool) GateOutcome {
	if o, judged := g.withoutInterval(c, strict); judged {
		return o
	}
	return g.judge(c.Arm, *c.Interval95, c.Rounds, strict)
}

// OfRun is Of for a contrast of a run, whose arms have the changes of the percentiles.
func (g Gate) OfRun(r *Result, c Contrast, strict bool) GateOutcome {
	if g.Percentile == "" {
		return g.Of(c, strict)
	}
	if o, judged := g.withoutInterval(c, strict); judged {
		return o
	}
	i := slices.IndexFunc(r.Arms, func(a Arm) bool { return a.Name == c.Arm && a.Threads == c.Threads })
	if i >= 0 {
		for _, t := range r.Arms[i].Tails {
			if t.Percentile == g.Percentile && t.CostInterval != nil {
				return g.judge(c.Arm, *t.CostInterval, t.Rounds, strict)
			}
		}
	}
	return GateOutcome{g.Text, c.Arm, true, []Reason{reason("gate-no-tail").name("p", g.Percentile)}}
}

// withoutInterval is the outcome where the interval of the throughput judges nothing.
func (g Gate) withoutInterval(c Contrast, strict bool) (GateOutcome, bool) {
	switch {
	case c.Interval95 == nil:
		return GateOutcome{g.Text, c.Arm, true, []Reason{reason("gate-no-interval").part("why", c.Reasons...)}}, true
	case c.withdrawn():
		return GateOutcome{g.Text, c.Arm, strict, []Reason{reason("gate-no-verdict").part("why", c.Reasons...)}}, true
	}
	return GateOutcome{}, false
}

// gateCodes are the reasons that an interval gives for the outcome of a condition.
type gateCodes struct{ within, notRuledOut, open, ruledOut string }

func (g Gate) codes() gateCodes {
	if g.Percentile == "" {
		return gateCodes{"gate-within", "gate-not-ruled-out", "gate-open", "gate-ruled-out"}
	}
	return gateCodes{"gate-tail-within", "gate-tail-not-ruled-out", "gate-tail-open", "gate-tail-ruled-out"}
}

// judge is the outcome by an interval of n rounds.
func (g Gate) judge(arm string, in Interval, n int, strict bool) GateOutcome {
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
	why := reason(code).num("lo", in.Lo).num("hi", in.Hi).count("n", n)
	if g.Percentile != "" {
		why = why.name("p", g.Percentile)
	}
	o.Reasons = []Reason{why}
	return o
}

// withdrawn says that others used so much of the machine that the interval decides nothing.
func (c Contrast) withdrawn() bool {
	return c.Busy || slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Code == othersExplain })
}

// Open says that the comparison neither meets the condition nor rules it out.
func (o GateOutcome) Open() bool {
	return !o.Failed && slices.ContainsFunc(o.Reasons, func(r Reason) bool {
		return slices.Contains([]string{"gate-open", "gate-tail-open", "gate-no-verdict"}, r.Code)
	})
}
