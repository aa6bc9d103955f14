package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// TestCarryOver: what an arm leaves to its successor is seen.
func TestCarryOver(t *testing.T) {
	r := planned(t, spec(12, "1%", "bare: {target: process}", "pod: {target: container}", "dirty: {target: container}"))
	rng := rand.New(rand.NewPCG(4, 4))
	build := func(left float64) *CarryOver {
		r.Trials = nil
		previous := ""
		for _, p := range r.Plan.Trials {
			tps := 1000 * math.Exp(0.003*rng.NormFloat64())
			if previous == "dirty" {
				tps *= left
			}
			r.Trials, previous = append(r.Trials, trialOf(p, tps)), p.Arm
		}
		all := Run(r).CarryOvers
		if len(all) != 1 {
			t.Fatalf("%d carry-overs", len(all))
		}
		return &all[0]
	}
	if c := build(1); c.Flagged {
		t.Errorf("nothing was left, yet %+v", c)
	}
	if c := build(0.97); !c.Flagged || c.Left["dirty"] > -0.5 {
		t.Errorf("3 %% were left, yet %+v", c)
	}
}

// TestCarryOverOfTurns: what an arm leaves to the next turn is seen in the turns, by the order that
// the plan's seed gives; a round with a missing turn is left out.
func TestCarryOverOfTurns(t *testing.T) {
	base := planned(t, spec(8, "1%", "bare: {target: process}", "pod: {target: container}", "dirty: {target: container}"))
	lengths := interleave.Slices{Slice: 200 * time.Millisecond, LeadIn: 100 * time.Millisecond, Warmup: 2, Cycles: 15}
	base.Plan = base.Plan.Interleave(base.Experiment, experiment.Interleaving{Kind: experiment.KindSlices, Slices: &lengths})
	rng := rand.New(rand.NewPCG(5, 5))
	build := func(left float64) CarryOver {
		r := *base
		for round := 1; round <= r.Plan.Rounds; round++ {
			r.Trials = append(r.Trials, roundOfTurns(rng, r.Plan, round, left)...)
		}
		r.Trials[0].Intervals = r.Trials[0].Intervals[1:]
		all := Run(&r).CarryOvers
		if len(all) != 1 || !all[0].Turns {
			t.Fatalf("%+v", all)
		}
		return all[0]
	}
	if c := build(1); c.Flagged || c.Trials["dirty"] < 7*15 {
		t.Errorf("nothing was left, yet %+v", c)
	}
	if c := build(0.9); !c.Flagged || c.Left["dirty"] > -3 || c.Interval["dirty"] == nil || c.Interval["dirty"].Hi > 0 {
		t.Errorf("10 %% were left, yet %+v", c)
	}
}

// roundOfTurns is a round in which every turn after one of the arm dirty is slower.
func roundOfTurns(rng *rand.Rand, p experiment.Plan, round int, left float64) []*record.Trial {
	s := p.Schedule(round)
	trials, last := make([]*record.Trial, s.Cells), ""
	for _, planned := range p.Trials {
		if planned.Round == round {
			trials[planned.Slot-1] = trialOf(planned, 1000)
			trials[planned.Slot-1].Intervals = nil
		}
	}
	for turn := range s.Turns() {
		for _, cell := range s.Order(turn) {
			tps := 1000 * math.Exp(0.02*rng.NormFloat64())
			if last == "dirty" {
				tps *= left
			}
			t := trials[cell]
			t.Intervals = append(t.Intervals, record.Interval{Turn: turn + 1, Warmup: turn < s.Warmup, End: float64(turn + 1), Length: 0.2, Transactions: tps})
			last = t.Header.Arm
		}
	}
	return trials
}
