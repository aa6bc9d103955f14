package report

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestClockUncertainty: the result has the largest uncertainty of all trials, and 0 where one clock kept all turns.
func TestClockUncertainty(t *testing.T) {
	trial := func(values ...string) *record.Trial {
		of := &record.Trial{}
		for _, v := range values {
			of.Facts = append(of.Facts, record.Fact{Key: keys.ClockUncertaintyMS, Value: v})
		}
		return of
	}
	plan := experiment.Plan{Protocol: &experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{Idle: true}}}
	for name, c := range map[string]struct {
		trials []*record.Trial
		want   Number
	}{
		"one host":  {[]*record.Trial{trial(), trial()}, 0},
		"load pods": {[]*record.Trial{trial("0.412"), trial(), trial("2.5"), trial("1.000")}, 2.5},
	} {
		got := protocol(&record.Run{Plan: plan, Trials: c.trials})
		if got.ClockUncertaintyMS != c.want || got.Off != idle || got.Kind != experiment.KindSlices {
			t.Errorf("%s: %+v, want %v ms", name, got, c.want)
		}
	}
}
