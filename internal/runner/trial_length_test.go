package runner

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
)

// TestLasts: the time for which a trial uses its server is known where no data are made in it and
// its load has a planned length, and is longer than both.
func TestLasts(t *testing.T) {
	j := job(t, &fake{})
	e := j.Experiment
	e.Protocol.Ready, e.Protocol.Warmup, e.Protocol.Measure = experiment.Duration(time.Minute), experiment.Duration(time.Hour), experiment.Duration(20*time.Hour)
	known := &trial{Job: j, plan: experiment.Trial{Arm: "a"}}
	if got := known.lasts(); got < 21*time.Hour+time.Minute || got > 22*time.Hour {
		t.Errorf("a planned load: %s", got)
	}
	if got := (&trial{Job: j, plan: known.plan, round: &round{}}).lasts(); got != 0 {
		t.Errorf("trials that take turns: %s", got)
	}
	e.Load.Find = &experiment.Find{}
	if got := known.lasts(); got != 0 {
		t.Errorf("a search: %s", got)
	}
}
