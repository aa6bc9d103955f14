package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// BenchmarkBuild is the document of 60 trials with windows of two minutes: three
// arms in twenty rounds.
func BenchmarkBuild(b *testing.B) {
	e, err := experiment.Parse("experiment.yaml", fmt.Appendf(nil, head, "bench", "8", 20, qos))
	if err != nil {
		b.Fatal(err)
	}
	run := &record.Run{Experiment: e, Plan: experiment.NewPlan(e)}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range run.Plan.Trials {
		run.Trials = append(run.Trials, benchTrial(rng, p))
	}
	for b.Loop() {
		if _, err := report.Build(run, "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

func benchTrial(rng *rand.Rand, p experiment.Trial) *record.Trial {
	t := &record.Trial{
		Header: record.Header{Version: 1, Trial: p.Number, Round: p.Round, Slot: p.Slot, Arm: p.Arm, Threads: p.Threads},
		Facts:  qosFacts(p.Arm),
		End:    &record.End{Outcome: record.Measured},
	}
	var sum float64
	for s := range 120 {
		tps := demoLevel(p.Arm, p.Threads, p.Round, s) * (1 + 0.02*rng.NormFloat64())
		sum += tps
		t.Intervals = append(t.Intervals, record.Interval{End: float64(s + 1), Length: 1, Transactions: tps})
	}
	t.Window = &record.Window{Seconds: 120, Counts: record.Counts{Transactions: int64(sum)}}
	return t
}
