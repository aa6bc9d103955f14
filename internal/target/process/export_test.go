package process

import (
	"context"
	"errors"

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// Behind is a process whose clients get to it by way of an address of the test's, with events.
type Behind struct {
	target.Target
	Events event.Planned
	// Way is how clients get to a server that has just been started.
	Way func(server target.Server) target.Client
}

// Capabilities are those of an arm with events.
func (b Behind) Capabilities() target.Capabilities {
	return b.Events.Capabilities(b.Target.Capabilities())
}

// Start starts a server without events, and has them happen to it.
func (b Behind) Start(ctx context.Context, r target.Request) (target.Server, error) {
	started, err := b.Target.Start(ctx, r)
	if err != nil {
		return nil, err
	}
	one, ok := started.(*server)
	if !ok {
		return nil, errors.Join(errors.New("not a server alone"), started.Stop(ctx))
	}
	return event.Alone(behind{one, b.Way(one)}, r.Name, b.Events, one.again), nil
}

type behind struct {
	*server
	client target.Client
}

func (b behind) Capabilities() target.ServerCapabilities {
	c := b.server.Capabilities()
	c.Client = func() target.Client { return b.client }
	return c
}
