package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func finding(load, protocol string) string {
	return `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
load: {threads: 8, ` + load + `}
protocol: {rounds: 2` + protocol + `}
baseline: a
arms:
  a: {target: process}
  b: {target: process, price: 0.40/h}
`
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text string
		want Find
	}{
		{"find: {p99: 20ms}", Find{99, Duration(20 * time.Millisecond), 0.05, Duration(10 * time.Second), 1.5}},
		{"find: {p99.9: 1s, within: 2%, step: 30s, beyond: 120%}", Find{99.9, Duration(time.Second), 0.02, Duration(30 * time.Second), 1.2}},
		{"find: {p50: 5ms, beyond: none}", Find{50, Duration(5 * time.Millisecond), 0.05, Duration(10 * time.Second), 0}},
	} {
		e, err := Parse("x.yaml", []byte(finding(c.text, "")))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(&c.want, e.Load.Find); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
		if e.Load.Percentile != c.want.Percentile {
			t.Errorf("%s: the series has p%g", c.text, e.Load.Percentile)
		}
	}
	e, err := Parse("x.yaml", []byte(finding("percentile: 95, find: {p99: 20ms}", "")))
	if err != nil || e.Load.Percentile != 95 {
		t.Errorf("p%g, %v: what the file says stays", e.Load.Percentile, err)
	}
	if b, _ := e.Arm("b"); b.Price != 0.4 {
		t.Errorf("price %v", b.Price)
	}
}

// TestEventsOfOneArm: what the events of one arm cost is a result without a comparison, also where they are defaults.
func TestEventsOfOneArm(t *testing.T) {
	const begin = "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nload: {threads: 1, rate: 10/s}\n"
	for _, arms := range []string{"arms: {a: {target: process, events: [{at: 2s, kill: server}]}}\n", "defaults: {events: [{at: 2s, kill: server}]}\narms: {a: {target: process}}\n"} {
		e, err := Parse("x.yaml", []byte(begin+arms))
		if err != nil || e.Baseline != "a" || NewPlan(e).AA {
			t.Errorf("%s: %v", arms, err)
		}
	}
	if _, err := Parse("x.yaml", []byte(begin+"arms: {a: {target: process}}\n")); err == nil || !strings.Contains(err.Error(), "and for its events") {
		t.Errorf("one arm without events: %v", err)
	}
}

// TestFindOfOneArm: one arm is enough for its capacity, and is its own baseline; without a search it is refused, with
// what it is enough for.
func TestFindOfOneArm(t *testing.T) {
	one := func(load string) string {
		return "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\nload: {threads: 8" + load + "}\nprotocol: {rounds: 8}\narms:\n  a: {target: process}\n"
	}
	e, err := Parse("x.yaml", []byte(one(", find: {p99: 20ms}")))
	if err != nil {
		t.Fatal(err)
	}
	if p := NewPlan(e); e.Baseline != "a" || p.AA || len(p.Trials) != 8 {
		t.Errorf("baseline %q, twice: %v, %d trials", e.Baseline, p.AA, len(p.Trials))
	}
	if _, err := Parse("x.yaml", []byte(one(""))); err == nil || !strings.Contains(err.Error(), "one arm is enough for its capacity (load.find)") {
		t.Errorf("without a search: %v", err)
	}
}

// A search is part of the plan's hash: another limit is another experiment.
func TestFindIsHashed(t *testing.T) {
	hash := func(text string) string {
		e, err := Parse("x.yaml", []byte(finding(text, "")))
		if err != nil {
			t.Fatal(err)
		}
		return NewPlan(e).Hash
	}
	if hash("find: {p99: 20ms}") == hash("find: {p99: 21ms}") {
		t.Error("two limits have one hash")
	}
}

func TestFindRefuses(t *testing.T) {
	for _, c := range []struct{ load, protocol, says string }{
		{"find: 20ms", "", "4:26: load.find: expected a percentile with its limit"},
		{"find: {within: 5%}", "", "load.find: name the percentile and its limit"},
		{"find: {p99: 20}", "", `load.find.p99: "20" is not a duration`},
		{"find: {p99: 0s}", "", "load.find: expected a limit above 0"},
		{"find: {p10: 1ms}", "", "load.find: p50 to p99.99 are possible, not p10"},
		{"find: {p100: 1ms}", "", "load.find: p50 to p99.99 are possible, not p100"},
		{"find: {p99: 20ms, p95: 10ms}", "", "load.find.p95: a search has one limit; leave out this one or p99"},
		{"find: {p99: 20ms, limit: 3}", "", "load.find.limit: unknown field; the fields are a percentile"},
		{"find: {p99: 20ms, within: 0.1%}", "", "load.find.within: 1% to 50% are possible"},
		{"find: {p99: 20ms, step: 10ms}", "", "load.find.step: 100ms to 1h are possible"},
		{"find: {p99: 20s}", "", "load.find.step: a step of 10s cannot show whether p99 <= 20s is kept"},
		{"find: {p99: 20ms, beyond: 80%}", "", `load.find.beyond: "80%" is not an overload`},
		{"rate: 500/s, find: {p99: 20ms}", "", "load.rate: load.find searches for the rate; leave out rate or find"},
		{"from: {image: x, clients: 2}, find: {p99: 20ms}", "", "load.from: load.find searches from this host alone"},
	} {
		_, err := Parse("x.yaml", []byte(finding(c.load, c.protocol)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", c.load, err, c.says)
		}
	}
	if _, err := Parse("x.yaml", []byte(strings.Replace(finding("find: {p99: 20ms}", ""), "0.40/h", "0.40", 1))); err == nil || !strings.Contains(err.Error(), `arms.b.price: "0.40" is not a price`) {
		t.Error(err)
	}
}

// TestSearchTurns: the slices of a search are long enough for its limit and have no drain, and every step has orders of
// its own and the length that the file says.
func TestSearchTurns(t *testing.T) {
	for _, c := range []struct {
		find, protocol string
		slice          time.Duration // 0: none is long enough
	}{
		{"{p99: 20ms}", "", 200 * time.Millisecond},
		{"{p99: 60ms}", "", 400 * time.Millisecond},
		{"{p99: 250ms}", "", time.Second},
		{"{p99: 251ms}", "", 0},
		{"{p99: 60ms}", ", slice: 200ms", 0},
	} {
		e, err := Parse("x.yaml", []byte(finding("find: "+c.find, c.protocol)))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := e.Load.Find.Fit(e.Protocol, e.Protocol.Slices(20*time.Millisecond, 0))
		if ok != (c.slice > 0) || ok && (s.Slice != c.slice || s.Drain != 0 || !s.Exact || s.Check() != nil) {
			t.Errorf("%s%s: %+v, %v", c.find, c.protocol, s, ok)
		}
		if !ok {
			continue
		}
		p := NewPlan(e).Interleave(e, Interleaving{Kind: KindSlices, Slices: &s})
		first, second := p.SearchTurns(e, 1, 1, e.Load.Find.Settle()), p.SearchTurns(e, 1, 2, e.Load.Find.Settle())
		if first.Cells != 2 || first.Counted() != e.Load.Find.Step.Std() || time.Duration(first.Warmup)*first.Load() < e.Load.Find.Settle() {
			t.Errorf("%s: %+v", c.find, first)
		}
		differs := false
		for cycle := range first.Turns() {
			differs = differs || first.Order(cycle)[0] != second.Order(cycle)[0]
		}
		if !differs {
			t.Errorf("%s: two steps have the same orders", c.find)
		}
	}
}
