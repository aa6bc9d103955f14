package runner

// The end of a trial: what it started is stopped and removed.

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
)

// uncleaned is the outcome of a trial that left something behind. What had
// gone wrong before stays the first reason.
func uncleaned(reason string, err error) (record.Outcome, string) {
	if reason != "" {
		return record.Failed, record.AndUncleaned.Say(reason, err.Error())
	}
	return record.Failed, record.Uncleaned.Say(err.Error())
}

// teardown stops the server and removes the instance. It has its own time
// limit: a cancelled run must still clean up.
func (t *trial) teardown() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	t.Observe(Progress{Kind: Phase, Trial: t.plan, Phase: "stop"})
	if t.round.lent(t) { // another trial of the round takes the server down
		return nil
	}
	var err error
	if t.From != nil && t.instance != nil {
		err = t.From.Stop(ctx, t.instance.Name)
	}
	if t.server != nil {
		err = errors.Join(err, t.server.Stop(ctx))
	}
	fault.At("trial: server stopped")
	if t.instance != nil {
		err = errors.Join(err, t.instance.remove(ctx, io.Discard))
	}
	return err
}
