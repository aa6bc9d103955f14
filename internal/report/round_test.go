package report

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestRoundDuration: a round takes as long as any of its trials runs. Those of slices run at the
// same time, and the repetition of one that failed is hours later; a round that lacks a trial is
// no example.
func TestRoundDuration(t *testing.T) {
	trial := func(round int, at, took time.Duration) *record.Trial {
		return &record.Trial{
			Header: record.Header{Round: round, Started: time.Unix(1e9, 0).Add(at)},
			End:    &record.End{Duration: took},
		}
	}
	for name, c := range map[string]struct {
		trials []*record.Trial
		want   time.Duration
	}{
		"windows":   {[]*record.Trial{trial(1, 0, time.Minute), trial(1, time.Minute, time.Minute), trial(2, 3*time.Minute, time.Minute), trial(2, 4*time.Minute, 3*time.Minute)}, 3 * time.Minute},
		"slices":    {[]*record.Trial{trial(1, 0, 4*time.Minute), trial(1, time.Second, 4*time.Minute), trial(2, 5*time.Minute, 4*time.Minute), trial(2, 5*time.Minute, time.Minute)}, 4*time.Minute + 500*time.Millisecond},
		"resumed":   {[]*record.Trial{trial(1, 0, time.Minute), trial(1, 9*time.Hour, time.Minute)}, 2 * time.Minute},
		"under way": {[]*record.Trial{trial(1, 0, time.Minute), trial(1, time.Minute, time.Minute), trial(2, 3*time.Minute, time.Second)}, 2 * time.Minute},
		"none yet":  {nil, 0},
	} {
		run := &record.Run{Experiment: &experiment.Experiment{}, Trials: c.trials}
		run.Plan.Rounds, run.Plan.Trials = 2, make([]experiment.Trial, 4)
		if got := roundDuration(run); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
