package barrier

// A generator on another machine ends its load when the tare that controls it is gone.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// ErrNoController ends a load that nobody controls any more.
var ErrNoController = errors.New("the tare that controls this load is gone")

// HoldSQL are the statements with which the controller of a run tells the generators on
// its own connection that it is there. The lock goes with the connection: at once when
// the controller is killed, and after [Silence] where its machine or its network path is
// gone. A row that is renewed would be a write a second in what is measured.
func HoldSQL(run string) []string {
	return []string{
		fmt.Sprintf("SET SESSION wait_timeout = %d", int(Silence.Seconds())),
		"SELECT GET_LOCK('" + lockOf(run) + "', 0)",
	}
}

// Silence is how long the controller may say nothing on its connection: it asks the server
// something every second.
const Silence = 30 * time.Second

func lockOf(run string) string { return "tare.run." + run }

// Watch returns [ErrNoController] when the controller of a run has been there and has been
// gone for grace, and nil when ctx ends. On a server that has no such locks (Galera), or
// behind an address that leads to another member, the controller is never seen; then the
// load ends by its own time alone.
func Watch(ctx context.Context, s *wire.Session, run string, grace time.Duration) error {
	if !runName.MatchString(run) {
		return fmt.Errorf("watch controller: %q is not a valid run name", run)
	}
	last := time.Time{} // when it was seen
	tick := time.NewTicker(min(time.Second, max(grace/4, 10*time.Millisecond)))
	defer tick.Stop()
	for {
		asked := time.Now()
		rows, err := s.Query(ctx, "SELECT IS_USED_LOCK('"+lockOf(run)+"') IS NOT NULL")
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil: // the server is gone, which the load sees for itself
			return nil
		case len(rows) == 1 && rows[0][0] == "1":
			last = asked
		case !last.IsZero() && time.Since(last) > grace:
			return fmt.Errorf("%w: for %s", ErrNoController, grace)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
