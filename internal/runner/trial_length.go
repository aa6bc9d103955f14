package runner

import (
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target"
)

const (
	// loadLate is how much longer than planned a load may take before it is ended.
	loadLate = 2 * time.Minute
	// besideLoad is more than the steps of a trial take that are neither its load nor the wait
	// for its server: probes, facts, verification.
	besideLoad = 15 * time.Minute
)

// lasts is the longest time for which a trial uses its server, 0 where that is not known: data take
// as long as they take to be made, a search has as many steps as it needs, and servers of a round
// are there until all have been measured.
func (t *trial) lasts() time.Duration {
	e, arm := t.Experiment, t.plan.Arm
	if t.round != nil || e.Load.Find != nil || t.Targets[arm].Data() == target.PerTrial || t.Each(arm) == experiment.EachRefill {
		return 0
	}
	p := e.Protocol
	settle, measure := e.LatencyTimes()
	return 2*p.Ready.Std() + p.Warmup.Std() + p.Measure.Std() + settle + measure + 2*loadLate + besideLoad
}
