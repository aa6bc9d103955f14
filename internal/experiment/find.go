package experiment

// This file is load.find: the search for the capacity of every arm.

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/tarebench/tare/internal/interleave"
)

// Find is a search for the capacity: the highest rate at which a latency percentile stays
// at or below a limit.
type Find struct {
	// Percentile (0 to 100) of a transaction's latency, measured from its due time, and
	// the Limit that it is to keep.
	Percentile float64
	Limit      Duration
	// Within is the resolution of the search, as a ratio.
	Within Percent
	// Step is how long each rate is measured.
	Step Duration
	// Beyond is the overload that is offered after the window, as a multiple of the
	// capacity; 0 for none.
	Beyond Overload
}

// What Find means where the file says nothing.
const (
	findWithin = 0.05
	findStep   = 10 * time.Second
	findBeyond = 1.5
)

// Settle is the part of a step before it is measured: a queue at the new rate needs time
// to build up.
func (f Find) Settle() time.Duration { return f.Step.Std() / 5 }

// limitsOfSlice is how often the limit fits into a slice: a slice holds some of the longest transactions, and the
// rule by which slices hold for an arm (compare.Misfits) has as many.
const limitsOfSlice = 4

// Fit are the slices of a search: those of the protocol, or the first longer ones that are long enough for its limit,
// and exact. ok is false where there are none.
func (f Find) Fit(p Protocol, s interleave.Slices) (_ interleave.Slices, ok bool) {
	for _, longer := range append([]Interleaving{{Slices: &s}}, p.Longer(s)...) {
		if longer.Slices != nil && longer.Slices.Slice >= limitsOfSlice*f.Limit.Std() {
			return longer.Slices.Exactly(), true
		}
	}
	return s, false
}

// SearchTurns is who is on in a step of the searches of a round, which is counted after settle: the cells are those of
// Schedule.
func (p Plan) SearchTurns(e *Experiment, round, step int, settle time.Duration) interleave.Schedule {
	s := p.Schedule(round)
	s.Step = step
	s.Warmup = int((settle + s.Load() - 1) / s.Load())
	s.Cycles = max(1, int((e.Load.Find.Step.Std()+s.Slice/2)/s.Slice))
	return s
}

// Name is the percentile with its limit: "p99 <= 20ms".
func (f Find) Name() string { return fmt.Sprintf("%s <= %s", f.Metric(), f.Limit) }

// Metric is the percentile as the file writes it: p99.
func (f Find) Metric() string { return "p" + strconv.FormatFloat(f.Percentile, 'g', -1, 64) }

// Overload is a multiple of the capacity, written as a percentage: "150%" is 1.5.
type Overload float64

// UnmarshalText wants the sign, and more than 100 %.
func (o *Overload) UnmarshalText(b []byte) error {
	text := strings.TrimSpace(string(b))
	if text == "none" {
		*o = 0
		return nil
	}
	s, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || !(v > 100 && v <= 1000) {
		return fmt.Errorf("%q is not an overload: write a percentage of the capacity above 100%% and up to 1000%%, such as 150%%, or none", b)
	}
	*o = Overload(v / 100)
	return nil
}

// fromNode reads the fields; the one that names the percentile is p99, p95, p99.9.
func (f *Find) fromNode(d *decoder, node ast.Node, path string) {
	*f = Find{Within: findWithin, Step: Duration(findStep), Beyond: findBeyond}
	if !isMapping(node) {
		d.fail(node, path, "expected a percentile with its limit, such as {p99: 20ms, within: 5%%}, not %s", kindOf(node))
		return
	}
	known := map[string]encoding.TextUnmarshaler{"within": &f.Within, "step": &f.Step, "beyond": &f.Beyond}
	for _, p := range d.pairs(node) {
		at := join(path, p.key)
		if into, ok := known[p.key]; ok {
			d.value(p.value, reflect.ValueOf(into).Elem(), at)
			continue
		}
		percentile, err := strconv.ParseFloat(strings.TrimPrefix(p.key, "p"), 64)
		switch {
		case !strings.HasPrefix(p.key, "p") || err != nil || math.IsNaN(percentile):
			d.fail(p.at, at, "unknown field; the fields are a percentile with its limit (p99: 20ms), within, step and beyond")
		case f.Percentile != 0:
			d.fail(p.at, at, "a search has one limit; leave out this one or %s", f.Metric())
		default:
			f.Percentile = percentile
			d.value(p.value, reflect.ValueOf(&f.Limit).Elem(), at)
		}
	}
}

// Alone says that the experiment has one arm and a result without a comparison: its capacity, or what its events cost.
func (e *Experiment) Alone() bool {
	return len(e.Arms) == 1 && (e.Load.Find != nil || e.Arms[0].Has("events") || e.Arms[0].Has("faults"))
}

// settleAlone is for an experiment of one arm that has a result of its own: it is its own baseline, and is not measured
// twice where the file does not ask for it.
func (e *Experiment) settleAlone() {
	if !e.Alone() {
		return
	}
	if e.Baseline == "" {
		e.Baseline = e.Arms[0].Name
	}
	if e.Protocol.AA == nil {
		e.Protocol.AA = new(bool)
	}
}

// settleFind makes the percentile of the series that of the search, unless the file gives
// another.
func (e *Experiment) settleFind() {
	if e.Load.Find == nil || e.Load.Find.Percentile == 0 {
		return
	}
	if at := e.at.child(e.at.node, "load"); at == nil || e.at.child(at, "percentile") == nil {
		e.Load.Percentile = e.Load.Find.Percentile
	}
}

// find checks what the file says of the search.
func (c *checker) find() {
	l := c.e.Load
	f := l.Find
	if f == nil {
		return
	}
	c.want(f.Percentile != 0, "load.find", "name the percentile and its limit, for example find: {p99: 20ms}")
	c.want(f.Percentile == 0 || f.Percentile >= 50 && f.Percentile <= 99.99, "load.find", "p50 to p99.99 are possible, not %s", f.Metric())
	c.want(f.Percentile == 0 || f.Limit > 0, "load.find", "expected a limit above 0, for example %s: 20ms", f.Metric())
	c.want(f.Within >= 0.01 && f.Within <= 0.5, "load.find.within", "1%% to 50%% are possible; 5%% is usual")
	c.want(f.Step.Std() >= 100*time.Millisecond && f.Step.Std() <= time.Hour, "load.find.step", "100ms to 1h are possible; 10s is usual")
	c.want(f.Limit == 0 || f.Limit.Std() <= f.Step.Std()/2, "load.find.step", "a step of %s cannot show whether %s is kept; write a step of twice the limit or longer", f.Step, f.Name())
	c.want(l.Rate == 0, "load.rate", "load.find searches for the rate; leave out rate or find")
	c.want(l.Limit == 0, "load.limit", "load.find searches for the rate; leave out limit or find")
	c.want(!l.From.Pods(), "load.from", "load.find searches from this host alone; leave out from or find")
}
