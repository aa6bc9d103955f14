package runner

// What data a trial begins with, of servers that tare does not give a copy.

import (
	"context"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// Each is how trials of an arm get their data: what the file says or, where it says
// nothing, a copy if the target gives one, and else what leaves all trials alike.
func (j Job) Each(arm string) string {
	place := j.Targets[arm]
	if place.Data() != target.InServer || place.Capabilities().Restores {
		return experiment.EachCopy
	}
	if each := j.Experiment.Data.Each; each != "" {
		return each
	}
	if !j.Load(1).Writes() {
		return experiment.EachKeep // nothing changes them
	}
	return experiment.EachRefill
}

// refill drops the tables and fills them again, where trials begin so.
func (t *trial) refill(ctx context.Context) error {
	each := t.Each(t.plan.Arm)
	state := map[string]string{
		experiment.EachCopy:   "copy: the prepared data, on a server that has just started",
		experiment.EachRefill: "refill: the same rows, filled before the trial; the server was running, and has them in memory",
		experiment.EachKeep:   "keep: as earlier trials left them; the server was running, and has them in memory",
	}[each]
	if err := t.keep([]record.Fact{{Key: keys.DataEach, Value: state, Source: "experiment.yaml"}}, "start"); err != nil {
		return err
	}
	switch each {
	case experiment.EachKeep:
		return t.sameData(ctx)
	case experiment.EachCopy:
		return nil
	}
	if err := t.phase("refill data"); err != nil {
		return err
	}
	job := t.making(t.server.Address(), t.instance)
	if err := t.cleanup(ctx, job, t.log); err != nil {
		return err
	}
	return t.makeTables(ctx, t.server, t.instance, t.log)
}
