package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

func TestLatency(t *testing.T) {
	for text, want := range map[string]Latency{
		"latency: {rate: 60%}":                {Rate: Offer{Share: 0.6}},
		"latency: {rate: 350/s, measure: 5s}": {Rate: Offer{PerSecond: 350}, Measure: Duration(5 * time.Second)},
	} {
		e, err := Parse("x.yaml", []byte(finding(text, "")))
		if err != nil || *e.Load.Latency != want {
			t.Errorf("%s: %+v, %v", text, e.Load.Latency, err)
		}
	}
	for text, want := range map[string]string{
		"latency: {}":                               "load.latency.rate: name the rate",
		"latency: {rate: 350}":                      `"350" is not a rate`,
		"latency: {rate: 0%}":                       `"0%" is not a rate`,
		"latency: {rate: 100%}":                     `"100%" is not a rate`,
		"latency: {rate: 60%, measure: 10ms}":       "load.latency.measure: expected at least 1s",
		"latency: {rate: 60%}, rate: 5/s":           "load.rate: load.latency is measured after a closed loop",
		"latency: {rate: 60%}, limit: 5/s":          "load.limit: load.latency is measured after a closed loop without a limit",
		"latency: {rate: 60%}, find: {p99: 20ms}":   "load.find: a search for the capacity measures latency at the capacity",
		"latency: {rate: 60%, percentile: 99}":      "load.latency.percentile: unknown field",
		"latency: {rate: 60%}, latency: {rate: 5%}": "latency",
	} {
		if _, err := Parse("x.yaml", []byte(finding(text, ""))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestOfferHasTwoFigures: the rate is rounded down, so that it is not more than was asked for.
func TestOfferHasTwoFigures(t *testing.T) {
	for _, c := range []struct {
		offer   Offer
		slowest float64
		want    float64
	}{
		{Offer{Share: 0.6}, 1084, 650}, {Offer{Share: 0.6}, 999, 590}, {Offer{Share: 0.5}, 20, 10}, {Offer{Share: 0.6}, 1.55, 0.93},
		{Offer{Share: 0.7}, 100_000, 70_000}, {Offer{PerSecond: 351}, 10, 351}, {Offer{Share: 0.6}, 0, 0},
	} {
		if got := c.offer.Of(c.slowest); got != c.want {
			t.Errorf("%+v of %g: %v, want %v", c.offer, c.slowest, got, c.want)
		}
	}
}

func atRate(t *testing.T, load string) *Experiment {
	t.Helper()
	e, err := Parse("x.yaml", []byte(strings.Replace(finding(load, ", aa: true, warmup: 1s, measure: 2s"), "threads: 8", "threads: [2, 8]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRateTurns: every arm has turns at the highest level of the load; the baseline's second trial has
// none. Their orders are not those of the closed loop.
func TestRateTurns(t *testing.T) {
	e := atRate(t, "latency: {rate: 60%, measure: 3s}")
	p := NewPlan(e).Interleave(e, Interleaving{Kind: KindSlices, Slices: &interleave.Slices{
		LeadIn: 100 * time.Millisecond, Slice: 200 * time.Millisecond, Warmup: 4, Cycles: 10,
	}})
	s, cells := p.RateTurns(e, 1)
	if len(cells) != 2 || s.Cells != 2 || s.Warmup != 2 || s.Cycles != 15 {
		t.Fatalf("%d cells of %+v", len(cells), s)
	}
	for _, c := range cells {
		if c.Threads != 8 || c.Again || c.Round != 1 {
			t.Errorf("%+v has turns", c)
		}
	}
	closed, same := s, 0
	closed.AtRate = false
	for cycle := range 100 {
		if s.Order(cycle)[0] == closed.Order(cycle)[0] {
			same++
		}
	}
	if same == 100 {
		t.Error("the two schedules of a round have one order")
	}
	if _, cells := NewPlan(e).RateTurns(e, 1); cells != nil {
		t.Error("there are turns without slices")
	}
	p.Protocol.Slices.Drain, p.Protocol.Slices.ExactAtRate = 20*time.Millisecond, true
	if s, _ := p.RateTurns(e, 1); !s.Exact || s.Drain != 0 || s.Check() != nil || p.Schedule(1).Exact {
		t.Errorf("the turns at the rate have %+v", s)
	}
}

// TestRateIsFixedOnce: it is part of the plan's sum and not of its hash, and a change of the protocol
// drops it.
func TestRateIsFixedOnce(t *testing.T) {
	e := atRate(t, "latency: {rate: 60%}")
	p := NewPlan(e).Interleave(e, Interleaving{
		Kind: KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 1}, Otherwise: []Interleaving{{Kind: KindWindows}},
	})
	fixed, err := p.FixRate(650)
	if err != nil || fixed.Hash != p.Hash || fixed.Sum == p.Sum || fixed.Check(e) != nil {
		t.Fatalf("%v, %v", err, fixed.Check(e))
	}
	if _, err := fixed.FixRate(600); err == nil {
		t.Error("another rate is taken")
	}
	if _, err := p.FixRate(0); err == nil {
		t.Error("a rate of 0 is taken")
	}
	changed := fixed
	changed.LatencyRate = 600
	if changed.Check(e) == nil {
		t.Error("a rate that was changed passes")
	}
	windows, err := fixed.Change(Change{To: 0})
	if err != nil || windows.LatencyRate != 0 || windows.Check(e) != nil {
		t.Errorf("%+v, %v", windows, err)
	}
	number := atRate(t, "latency: {rate: 350/s}")
	other, err := NewPlan(number).FixRate(351)
	if err != nil || other.Check(number) == nil {
		t.Errorf("a rate that is not the file's passes: %v", err)
	}
}
