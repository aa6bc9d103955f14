package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Gate is a condition under which a comparison counts as failed, such as
// throughput<-3%: the change of throughput, negative when slower.
type Gate struct {
	Text  string
	less  bool
	bound float64 // %
}

var gatePattern = regexp.MustCompile(`^\s*throughput\s*([<>])\s*([+-]?\d+(?:\.\d+)?)\s*%\s*$`)

// ParseGate reads a condition.
func ParseGate(text string) (Gate, error) {
	m := gatePattern.FindStringSubmatch(text)
	if m == nil {
		return Gate{}, fmt.Errorf("%q is not a condition; use throughput<-3%% (slower by more than 3 %%) or throughput>3%%", text)
	}
	bound, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return Gate{}, fmt.Errorf("read condition %q: %w", text, err)
	}
	return Gate{Text: text, less: m[1] == "<", bound: bound}, nil
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
func (g Gate) Of(c Contrast, strict bool) GateOutcome {
	o := GateOutcome{Gate: g.Text, Arm: c.Arm}
	if c.Interval95 == nil {
		o.Failed, o.Reasons = true, []Reason{reason("gate-no-interval").part("why", c.Reasons...)}
		return o
	}
	if c.withdrawn() {
		o.Failed, o.Reasons = strict, []Reason{reason("gate-no-verdict").part("why", c.Reasons...)}
		return o
	}
	in := *c.Interval95
	var code string
	all, some := in.Lo > g.bound, in.Hi > g.bound
	if g.less {
		all, some = in.Hi < g.bound, in.Lo < g.bound
	}
	switch {
	case all:
		o.Failed, code = true, "gate-within"
	case some && strict:
		o.Failed, code = true, "gate-not-ruled-out"
	case some:
		code = "gate-open"
	default:
		code = "gate-ruled-out"
	}
	o.Reasons = []Reason{reason(code).num("lo", in.Lo).num("hi", in.Hi).count("n", c.Rounds)}
	return o
}

// withdrawn says that others used so much of the machine that the interval decides nothing.
func (c Contrast) withdrawn() bool {
	return c.Busy || slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Code == othersExplain })
}

// Open says that the comparison neither meets the condition nor rules it out.
func (o GateOutcome) Open() bool {
	return !o.Failed && slices.ContainsFunc(o.Reasons, func(r Reason) bool { return r.Code == "gate-open" || r.Code == "gate-no-verdict" })
}
