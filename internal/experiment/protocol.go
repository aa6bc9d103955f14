package experiment

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Rounds is how many rounds are run. What ends a run is fixed before its first
// trial, because to look and stop when it looks right errs in one run of four
// (docs/method.md); see Stopping.
type Rounds struct {
	Pilot int `yaml:"pilot"`
	Max   int `yaml:"max"`
	// Looks are the numbers of rounds after which a run may end, rising.
	Looks Counts `yaml:"looks"`
	// Open lets a run end at any round, Max at the latest.
	Open bool `yaml:"open"`
}

// Stopping is how a run's number of rounds is found.
type Stopping string

const (
	// Fixed: a number.
	Fixed Stopping = "fixed"
	// Pilot: after a pilot Stein's rule sets the number for the asked precision.
	Pilot Stopping = "pilot"
	// Looks: the run ends at the first of a few planned looks that settles it.
	Looks Stopping = "looks"
	// Open: the run ends as soon as it is settled, or precise enough.
	Open Stopping = "open"
)

// Stopping is how the number of rounds is found.
func (r Rounds) Stopping() Stopping {
	switch {
	case r.Open:
		return Open
	case len(r.Looks) > 0:
		return Looks
	case r.Pilot != r.Max:
		return Pilot
	}
	return Fixed
}

// Order is how the order within rounds is drawn.
type Order string

const (
	// Random draws every round afresh (Abedi & Brecht, ICPE 2017).
	Random Order = "random"
	// Balanced draws from sets in which every arm follows every other equally often
	// (Williams 1949): for arms that leave something behind for the next.
	Balanced Order = "williams"
)

// Counts are whole numbers, one or a list.
type Counts []int

// Sum is that of all levels.
func (c Counts) Sum() (all int) {
	for _, n := range c {
		all += n
	}
	return all
}

// Before is the sum of the levels that come before level.
func (c Counts) Before(level int) int { return c[:max(0, slices.Index(c, level))].Sum() }

// Twice says whether the baseline is measured twice in every round, against
// itself: what a difference between two equal servers looks like here. It is the
// rule for runs that can carry a verdict; shorter ones are exploratory anyway.
func (p Protocol) Twice() bool {
	if p.AA != nil {
		return *p.AA
	}
	return p.Rounds.Max >= carries
}

// carries is how many rounds carry a verdict: below, the sign-flip test cannot
// reach 5 %.
const carries = 6

// Reruns is the budget of rounds that are run again when they are void: a quarter
// unless the file says otherwise, and none for a run that is exploratory anyway. 0
// switches the gates off: what they see is counted and nothing is left out.
func (p Protocol) Reruns() int {
	switch {
	case p.Voids != nil:
		return *p.Voids
	case p.Rounds.Max < carries:
		return 0
	}
	return (p.Rounds.Max + 3) / 4
}

// OthersLimit is the share of the machine's CPU time, used by other processes and other virtual machines, from
// which on no comparison has a verdict unless the file says otherwise (docs/results/calibration.md, Busy machines).
const OthersLimit = 0.10

// MostOthers is the limit that applies.
func (p Protocol) MostOthers() float64 {
	if p.OthersCPU != nil {
		return float64(*p.OthersCPU)
	}
	return OthersLimit
}

func (c *checker) protocol(p Protocol) {
	c.want(p.Measure.Std() >= time.Second, "protocol.measure", "expected at least 1s; 60s to 300s are usual")
	c.want(p.Warmup >= 0, "protocol.warmup", "a warm-up cannot be negative")
	c.want(p.Ready.Std() >= time.Second, "protocol.ready", "expected at least 1s")
	c.want(p.Order == Random || p.Order == Balanced, "protocol.order", "an order is random or williams, not %q", p.Order)
	c.want(p.Reruns() >= 0 && p.Reruns() <= 1000, "protocol.voids", "0 to 1000 rounds can be run again, not %d", p.Reruns())
	c.want(p.Probes == ProbesOn || p.Probes == ProbesOff || p.Probes == ProbesAlternate && p.Twice(), "protocol.probes",
		"write on, off, or alternate, which measures the baseline twice in every round (aa: true) and the second time without probes")
	c.want(p.MostOthers() > 0, "protocol.othersCPU", "every machine runs something else; 5%% is strict, and 99%% measures beside any load")
	c.want(p.Margin > 0, "protocol.margin", "expected a margin above 0%%: no measurement can show that a difference is exactly zero")
	c.interleaving(p)
	c.rounds(p)
}

func (c *checker) rounds(p Protocol) {
	r := p.Rounds
	c.want(r.Pilot >= 1 && r.Max <= MostRounds, "protocol.rounds", "1 to %d rounds are possible", MostRounds)
	c.want(r.Pilot <= r.Max, "protocol.rounds", "the pilot (%d) is longer than the whole (%d)", r.Pilot, r.Max)
	switch r.Stopping() {
	case Fixed:
	case Pilot:
		c.want(p.Precision > 0, "protocol.rounds", "a pilot and a maximum need a precision to stop at; add precision: 1%%, or write one number")
		c.want(r.Pilot >= 4, "protocol.rounds", "a pilot of fewer than 4 rounds is too short to estimate the variance; 8 is usual")
	case Looks:
		c.want(len(r.Looks) >= 2 && len(r.Looks) <= 5, "protocol.rounds.looks", "two to five looks are possible; [8, 14, 20] is usual")
		last := 3
		for _, n := range r.Looks {
			c.want(n > last, "protocol.rounds.looks", "looks must increase, and the first is at 4 rounds or more; [8, 14, 20] is usual")
			last = n
		}
		c.want(p.Precision == 0, "protocol.precision", "planned looks end a run when it is settled; for a precision write rounds: {pilot: 8, max: 40}")
	case Open:
		c.want(len(r.Looks) == 0, "protocol.rounds", "a run has planned looks or is open, not both")
	}
}

// fromNode reads one number, or what ends the run.
func (r *Rounds) fromNode(d *decoder, node ast.Node, path string) {
	if !isMapping(node) {
		var n int
		d.scalar(node, reflect.ValueOf(&n).Elem(), path)
		*r = Rounds{Pilot: n, Max: n}
		return
	}
	*r = Rounds{}
	type plain Rounds
	d.fields(node, reflect.ValueOf((*plain)(r)).Elem(), path)
	if n := len(r.Looks); n > 0 {
		if r.Pilot != 0 || r.Max != 0 {
			d.fail(node, path, "planned looks replace a pilot and a maximum; leave out one of them")
		}
		r.Pilot, r.Max = r.Looks[0], r.Looks[n-1]
	}
	if r.Open && r.Pilot == 0 {
		r.Pilot = min(carries, r.Max)
	}
}

// fromNode reads one number or a list of them.
func (c *Counts) fromNode(d *decoder, node ast.Node, path string) {
	*c = nil
	for _, n := range d.oneOrMore(node) {
		text, _ := scalarText(d.resolve(n))
		number, err := strconv.Atoi(text)
		if err != nil {
			d.fail(n, path, "expected a whole number or a list of whole numbers, for example [8, 64]")
			continue
		}
		*c = append(*c, number)
	}
}
