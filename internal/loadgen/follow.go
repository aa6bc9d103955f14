package loadgen

// What follows the turns of a server without loading it: a neighbour on the server's node. It learns when they begin
// where generators do, in the server's database (package barrier).

import (
	"context"
	"time"

	"github.com/tarebench/tare/internal/loadgen/barrier"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
)

// Following is a load whose turns are followed. It has the server's password.
type Following struct {
	Run    string         `json:"run"`
	Server mysqld.Address `json:"server"`
}

// How often a server is asked that does not answer yet, and one that does. A start is announced
// seconds before the first turn.
const (
	dialEvery  = time.Second
	awaitEvery = 200 * time.Millisecond
)

// Begin waits until the first turn is announced, and tells by this machine's clock when it begins. The server may be away
// meanwhile, and its database may not be there yet. difference tells afterwards by how much the clocks of both may differ.
func (f Following) Begin(ctx context.Context) (begin time.Time, difference func(context.Context) (time.Duration, error), err error) {
	d, err := wire.NewDialer(f.Server)
	if err != nil {
		return begin, nil, err
	}
	for {
		session, err := d.Dial(ctx)
		if err == nil {
			at, clock, byName, failed := barrier.Await(ctx, session, f.Run, awaitEvery)
			session.Close()
			if err = failed; err == nil {
				return at, func(ctx context.Context) (time.Duration, error) {
					if byName { // the generators' clock, or that of the host that told
						return 0, nil
					}
					own, err := compareAgain(ctx, d.Dial, clock)
					return own.Uncertainty + own.Drift.Abs(), err
				}, nil
			}
		}
		select {
		case <-ctx.Done():
			return begin, nil, err
		case <-time.After(dialEvery):
		}
	}
}

// Announce tells what follows the turns of a server when they begin, where no generators elsewhere are told.
func (f Following) Announce(ctx context.Context, begin time.Time) error {
	d, err := wire.NewDialer(f.Server)
	if err != nil {
		return err
	}
	session, err := d.Dial(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	return barrier.AnnounceAlone(ctx, session, f.Run, begin)
}
