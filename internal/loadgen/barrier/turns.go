package barrier

// The start of turns that a controller keeps by its own clock, for generators whose clocks are others: both compare
// theirs with the server's, by request and response as NTP does (RFC 5905), before the load and after it.

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// Clock compares a clock of this machine, one that is never set, with the server's.
type Clock struct {
	began time.Time     // by this machine's
	begin int64         // microseconds: the same moment by the server's, since 1970
	took  time.Duration // the round trip that told it
}

// Uncertainty is by how much the server's time can be wrong that was read: half a round trip.
func (c Clock) Uncertainty() time.Duration { return c.took / 2 }

// now reads the server's time. The epoch is the session's time zone's, which no comparison needs.
func now(ctx context.Context, s *wire.Session) (Clock, error) {
	var least Clock
	for i := range readings {
		asked := time.Now()
		rows, err := s.Query(ctx, "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NOW(6))")
		took := time.Since(asked)
		if err != nil {
			return least, fmt.Errorf("read the server's clock: %w", err)
		}
		micros, err := strconv.ParseInt(rows[0][0], 10, 64)
		if err != nil {
			return least, fmt.Errorf("read the server's clock: %w", err)
		}
		if i == 0 || took < least.took {
			least = Clock{asked.Add(took / 2), micros, took}
		}
	}
	return least, nil
}

// Drift is by how much the two clocks have gone apart since they were compared: positive where the server's is
// ahead. That the server's was set meanwhile looks the same.
func (c Clock) Drift(ctx context.Context, s *wire.Session) (time.Duration, error) {
	then, err := now(ctx, s)
	return time.Duration(then.begin-c.begin)*time.Microsecond - then.began.Sub(c.began), err
}

// Gather waits until all generators of a run have arrived.
func Gather(ctx context.Context, s *wire.Session, run string, of int) error {
	if err := exec(ctx, s, createTable); err != nil {
		return fmt.Errorf("wait for generators: %w", err)
	}
	for {
		rows, err := s.Query(ctx, fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE run = '%s' AND number >= 0", table, run))
		if err != nil {
			return fmt.Errorf("wait for generators: %w", err)
		}
		if rows[0][0] == strconv.Itoa(of) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for generators: %s of %d are there: %w", rows[0][0], of, context.Cause(ctx))
		case <-time.After(pollEvery(of)):
		}
	}
}

// Announce tells the generators of a run, and what follows its turns beside them, when to begin.
func Announce(ctx context.Context, s *wire.Session, run string, begin time.Time) (Clock, error) {
	if err := exec(ctx, s, createTable); err != nil {
		return Clock{}, fmt.Errorf("announce the start: %w", err)
	}
	c, err := now(ctx, s)
	if err != nil {
		return c, err
	}
	at := c.begin + begin.Sub(c.began).Microseconds()
	err = exec(ctx, s, fmt.Sprintf("INSERT INTO %s (run, number, begins) VALUES ('%s', -1, TIMESTAMPADD(MICROSECOND, %d, '1970-01-01'))", table, run, at))
	if err != nil {
		return c, fmt.Errorf("announce the start: %w", err)
	}
	return c, nil
}

// Arrive says that a generator is there, waits for the controller's announcement, and returns when to begin by this
// machine's clock.
func Arrive(ctx context.Context, s *wire.Session, run string, number, of int) (time.Time, Clock, error) {
	fail := func(err error) (time.Time, Clock, error) {
		return time.Time{}, Clock{}, fmt.Errorf("wait for the start: %w", err)
	}
	if !runName.MatchString(run) {
		return fail(fmt.Errorf("%q is not a valid run name", run))
	}
	for _, sql := range []string{createTable, fmt.Sprintf("REPLACE INTO %s (run, number) VALUES ('%s', %d)", table, run, number)} {
		if err := exec(ctx, s, sql); err != nil {
			return fail(err)
		}
	}
	return Await(ctx, s, run, pollEvery(of))
}

// Await waits for the controller's announcement, and returns when to begin by this machine's clock. The table may not be
// there yet, which is an error.
func Await(ctx context.Context, s *wire.Session, run string, every time.Duration) (time.Time, Clock, error) {
	fail := func(err error) (time.Time, Clock, error) {
		return time.Time{}, Clock{}, fmt.Errorf("wait for the start: %w", err)
	}
	if !runName.MatchString(run) {
		return fail(fmt.Errorf("%q is not a valid run name", run))
	}
	for {
		rows, err := s.Query(ctx, fmt.Sprintf("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', begins) FROM %s WHERE run = '%s' AND number = -1", table, run))
		if err != nil {
			return fail(err)
		}
		if len(rows) == 1 {
			at, err := strconv.ParseInt(rows[0][0], 10, 64)
			if err != nil {
				return fail(err)
			}
			c, err := now(ctx, s)
			if err != nil {
				return fail(err)
			}
			return c.began.Add(time.Duration(at-c.begin) * time.Microsecond), c, nil
		}
		select {
		case <-ctx.Done():
			return fail(context.Cause(ctx))
		case <-time.After(every):
		}
	}
}
