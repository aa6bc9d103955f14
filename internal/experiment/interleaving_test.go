package experiment

import (
	"strings"
	"testing"
	"time"
)

// TestInterleave: the protocol is part of the hash, and a plan of slices names a
// cell for every trial of its rounds.
func TestInterleave(t *testing.T) {
	e := parsed(t)
	lengths := e.Protocol.Slices(200*time.Millisecond, 100*time.Millisecond)
	plain := NewPlan(e)
	p := plain.Interleave(e, Interleaving{Kind: KindSlices, Why: "test", Slices: &lengths})
	if err := p.Check(e); err != nil || !p.Sliced() || p.Hash == plain.Hash {
		t.Errorf("check: %v, sliced %v, hash %.8s and %.8s", err, p.Sliced(), p.Hash, plain.Hash)
	}
	s := p.Schedule(2)
	if s.Cells != 4 || s.Round != 2 || s.Seed != 7 || s.Slice != 200*time.Millisecond {
		t.Errorf("schedule %+v", s)
	}
	longer := lengths
	longer.Slice *= 2
	changed := p
	changed.Protocol = &Interleaving{Kind: KindSlices, Why: "test", Slices: &longer}
	if changed.Check(e) == nil {
		t.Error("a plan whose slices were changed passes")
	}
	changed.Protocol = &Interleaving{Kind: KindSlices}
	if changed.Check(e) == nil {
		t.Error("slices without lengths pass")
	}
}

func TestSlices(t *testing.T) {
	for _, c := range []struct {
		protocol       string
		leadIn, period time.Duration
		lead, slice    time.Duration
		warmup, cycles int
	}{
		{"warmup: 2s, measure: 4s", 20 * time.Millisecond, 0, 20 * time.Millisecond, 200 * time.Millisecond, 10, 20},
		{"warmup: 2s, measure: 6s", 200 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 5, 30},
		{"warmup: 2s, measure: 6s", 400 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond, 450 * time.Millisecond, 3, 13},
		{"warmup: 1s, measure: 6s, slice: 300ms, leadIn: 0s", 400 * time.Millisecond, 0, 0, 300 * time.Millisecond, 4, 20},
	} {
		e := parsedWith(t, c.protocol)
		got := e.Protocol.Slices(c.leadIn, c.period)
		if got.LeadIn != c.lead || got.Slice != c.slice || got.Warmup != c.warmup || got.Cycles != c.cycles || got.Check() != nil {
			t.Errorf("%s: %+v", c.protocol, got)
		}
	}
}

func parsedWith(t *testing.T, protocol string) *Experiment {
	t.Helper()
	at := strings.Index(good, "protocol:")
	text := good[:at] + "protocol: {rounds: 8, " + protocol + "}\n" + good[at+strings.Index(good[at:], "\n")+1:]
	e, err := Parse("slices.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}
