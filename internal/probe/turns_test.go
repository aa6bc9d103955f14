package probe

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// TestRunTurns: what the machine counts while others are on is not a trial's, and the
// samples' times are the trial's own.
func TestRunTurns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reads, value := 0, 0.0
	machine := Probe{
		Name: "machine", GoesOn: true, Metrics: []record.Metric{counter("all", "1", "")},
		Start: func(Place) (Read, error) {
			return func(_ context.Context, put func(string, float64)) error {
				if reads++; reads%2 == 1 {
					value += 1000 // by others, until the turn begins
				} else {
					value++
				}
				if put("all", value); reads == 14 { // the end of the last of 7 turns
					cancel()
				}
				return nil
			}, nil
		},
	}
	asked := 0.0
	server := Probe{
		Name: "server", Metrics: []record.Metric{counter("one", "1", "")},
		Start: func(Place) (Read, error) {
			return func(_ context.Context, put func(string, float64)) error {
				asked++
				put("one", asked)
				return nil
			}, nil
		},
	}
	s := interleave.Schedule{Slices: interleave.Slices{Guard: time.Millisecond, LeadIn: time.Millisecond, Slice: 3 * time.Millisecond, Warmup: 2, Cycles: 5}, Seed: 1, Round: 1, Cells: 3}
	begin := make(chan time.Time, 1)
	begin <- time.Now()
	var samples []record.Sample
	err := Start(Place{}, []Probe{machine, server}).RunTurns(ctx, Turns{Schedule: s, Cell: 1, Begin: begin}, func(l record.Line) error {
		samples = append(samples, *l.Sample)
		return nil
	})
	if err != nil || len(samples) != 3 {
		t.Fatalf("%d samples, error %v", len(samples), err)
	}
	want := []struct {
		at     time.Duration
		warmup bool
		all    float64
	}{{0, true, 0}, {2 * s.Load(), false, 2}, {7 * s.Load(), false, 7}}
	for i, w := range want {
		all, _ := samples[i].Values.Of("all")
		one, _ := samples[i].Values.Of("one")
		if samples[i].At != w.at || samples[i].Warmup != w.warmup || all != w.all || one != float64(i+1) {
			t.Errorf("sample %d: %+v, want %+v", i, samples[i], w)
		}
	}
	closed := make(chan time.Time)
	close(closed)
	if err := Start(Place{}, nil).RunTurns(context.Background(), Turns{Schedule: s, Cell: 1, Begin: closed}, nil); err != nil {
		t.Error(err)
	}
}

// TestLastSampleIsThatOfTheLastTurn: a trial whose turns are over takes its last sample, and does not wait
// until the other trials are over too, when its server has been thawed and works without a load. What needs
// no answer of the server, which may be frozen, is read first.
func TestLastSampleIsThatOfTheLastTurn(t *testing.T) {
	s := interleave.Schedule{Slices: interleave.Slices{Guard: time.Millisecond, LeadIn: time.Millisecond, Slice: 3 * time.Millisecond, Warmup: 1, Cycles: 2}, Seed: 1, Round: 1, Cells: 2}
	var order []string
	read := func(name string, asks bool) Probe {
		return Probe{
			Name: name, Asks: asks, Metrics: []record.Metric{counter(name, "1", "")},
			Start: func(Place) (Read, error) {
				return func(_ context.Context, put func(string, float64)) error {
					order = append(order, name)
					put(name, float64(len(order)))
					return nil
				}, nil
			},
		}
	}
	begin := make(chan time.Time, 1)
	begin <- time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the trial's end
	defer cancel()
	var last record.Sample
	err := Start(Place{}, []Probe{read("answer", true), read("file", false)}).RunTurns(ctx, Turns{Schedule: s, Cell: 1, Begin: begin}, func(l record.Line) error {
		last = *l.Sample
		return nil
	})
	if err != nil || ctx.Err() != nil || last.At != time.Duration(s.Turns())*s.Load() {
		t.Errorf("%+v, error %v; the trial's end: %v", last, err, ctx.Err())
	}
	if n := len(order); n < 2 || order[n-2] != "file" || order[n-1] != "answer" {
		t.Errorf("read in the order %v", order)
	}
}

// TestCountersOfLevels: a server whose time several levels of the load share counts for each in its own
// turns only, both what is read of files and what the server answers.
func TestCountersOfLevels(t *testing.T) {
	s := interleave.Schedule{Slices: interleave.Slices{Guard: time.Millisecond, LeadIn: time.Millisecond, Slice: 3 * time.Millisecond, Warmup: 2, Cycles: 5}, Seed: 1, Round: 1, Cells: 3}
	for _, asks := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		reads, value := 0, 0.0
		server := Probe{
			Name: "server", Asks: asks, Metrics: []record.Metric{counter("one", "1", ""), gauge("now", "1", "")},
			Start: func(Place) (Read, error) {
				return func(_ context.Context, put func(string, float64)) error {
					if reads++; reads%2 == 1 {
						value += 1000 // in the turns of other levels
					} else {
						value++
					}
					put("now", float64(reads))
					if put("one", value); reads == 2*s.Turns() {
						cancel()
					}
					return nil
				}, nil
			},
		}
		begin := make(chan time.Time, 1)
		begin <- time.Now()
		var last record.Sample
		err := Start(Place{}, []Probe{server}).RunTurns(ctx, Turns{Schedule: s, Cell: 1, Apart: true, Begin: begin}, func(l record.Line) error {
			last = *l.Sample
			return nil
		})
		one, ok := last.Values.Of("one")
		if err != nil || !ok || one != float64(s.Turns()) {
			t.Errorf("asks %v: %v, %v counted in %d turns, error %v", asks, one, ok, s.Turns(), err)
		}
		if now, ok := last.Values.Of("now"); !ok || now < float64(2*s.Turns()) {
			t.Errorf("asks %v: a gauge of %v, %v", asks, now, ok)
		}
		cancel()
	}
}

// TestTurnWithoutBeginning: of a turn whose beginning could not be read nothing is counted: not the
// time off before it, nor the turn before a second time.
func TestTurnWithoutBeginning(t *testing.T) {
	values := []float64{0, 1000, math.NaN(), 2500, 2600, 2700}
	reads := 0
	w := &watched{Probe: Probe{Metrics: []record.Metric{counter("one", "1", "")}}, read: func(_ context.Context, put func(string, float64)) error {
		put("one", values[reads])
		reads++
		return nil
	}}
	for range 3 {
		w.turnBegins()
		w.turnEnds()
	}
	if got := w.own.sum["one"]; got != 1100 {
		t.Errorf("%v counted in two turns of 1000 and 100", got)
	}
}
