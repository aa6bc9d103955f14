package barrier

// A generator on another machine ends its load when the tare that controls it is gone.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// ErrNoController ends a load whose controller is gone.
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

// lookWithin bounds one look: a server that starves answers late, and a connection that a
// device on the path has forgotten is never answered on (tcp(7), tcp_retries2: 15 minutes).
const lookWithin = time.Minute

// Watch returns [ErrNoController] when the controller of a run has been there and has been
// gone for grace, and nil when ctx ends. It looks on the session s and closes it; when that
// breaks, it looks on one that dial makes: the load's own connections are made again as well.
//
// Only time between two answers counts towards grace. While the server does not answer,
// nothing is known of the controller, whose own connection is made again later.
//
// On a server that has no such locks (Galera), or behind an address that leads to another
// member, the controller is never seen; then the load ends by its own time alone. That is so for
// every connection: where the last one led says nothing of where the next one does.
func Watch(ctx context.Context, s *wire.Session, dial func(context.Context) (*wire.Session, error), run string, grace time.Duration) error {
	w := watch{session: s, dial: dial, question: "SELECT IS_USED_LOCK('" + lockOf(run) + "') IS NOT NULL"}
	defer w.hangUp()
	if !runName.MatchString(run) {
		return fmt.Errorf("watch controller: %q is not a valid run name", run)
	}
	tick := time.NewTicker(min(time.Second, max(grace/4, 10*time.Millisecond)))
	defer tick.Stop()
	for {
		w.look(ctx)
		if w.gone > grace && ctx.Err() == nil {
			return fmt.Errorf("%w: for %s", ErrNoController, grace)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// watch is what the looks have come to.
type watch struct {
	session  *wire.Session // nil: broken
	dial     func(context.Context) (*wire.Session, error)
	question string
	seen     bool          // the controller was there, on this session
	answered time.Time     // when the last look was, zero where it had no answer
	gone     time.Duration // for how long answers have said that it is gone
}

// look asks once whether the controller is there.
func (w *watch) look(ctx context.Context) {
	asked := time.Now()
	there, err := w.ask(ctx)
	switch {
	case err != nil:
		w.answered = time.Time{}
		return
	case there:
		w.seen, w.gone = true, 0
	case w.seen && !w.answered.IsZero():
		w.gone += asked.Sub(w.answered)
	}
	w.answered = asked
}

// ask asks on a new connection where the last one broke.
func (w *watch) ask(ctx context.Context) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if w.session == nil {
		if w.session, err = w.dial(ctx); err != nil {
			w.session = nil
			return false, err
		}
		w.seen, w.gone = false, 0
	}
	rows, err := w.session.Query(ctx, w.question)
	var refused *wire.ServerError
	if err != nil && !errors.As(err, &refused) {
		w.hangUp()
	}
	return len(rows) == 1 && rows[0][0] == "1", err
}

// hangUp closes the connection, if there is one.
func (w *watch) hangUp() {
	if w.session != nil {
		_ = w.session.Close() // it only read
		w.session = nil
	}
}
