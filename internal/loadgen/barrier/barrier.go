// Package barrier starts several load generators at the same time; they agree on it
// through the database that they load.
package barrier

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// The generators' own table, beside those of the workload. Where a start is announced, a generator's row also has one moment
// by its clock and by the server's.
const (
	table       = "tare_generators"
	createTable = "CREATE TABLE IF NOT EXISTS " + table + " (run VARCHAR(64) NOT NULL, number INT NOT NULL, begins DATETIME(6) NULL," +
		" clock VARCHAR(96) NULL, clock_ns BIGINT NULL, server_us BIGINT NULL, took_ns BIGINT NULL, PRIMARY KEY (run, number))"
)

// head is how long before the start the last generator arrives.
const head = 2 * time.Second

var runName = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,64}$`)

// pollEvery is the time between two looks at the table. Many generators look less often
// each: their queries together are a load of their own, on a server that nothing else
// loads yet. All of them must have looked within head.
func pollEvery(of int) time.Duration {
	return min(50*time.Millisecond+5*time.Millisecond*time.Duration(of), head/2)
}

// Start waits until all generators of a run are there and returns when to begin,
// by this machine's clock. The server's clock is the one they have in common; it
// is read over the connection, so the starts differ by half a round trip at most.
func Start(ctx context.Context, s *wire.Session, run string, number, of int) (time.Time, error) {
	r, err := start(ctx, s, run, number, of)
	return r.begin, err
}

func start(ctx context.Context, s *wire.Session, run string, number, of int) (reading, error) {
	if !runName.MatchString(run) {
		return reading{}, fmt.Errorf("agree on a start: %q is not a valid run name (letters, digits, . _ : -)", run)
	}
	for _, sql := range []string{
		createTable,
		fmt.Sprintf("REPLACE INTO %s (run, number) VALUES ('%s', %d)", table, run, number),
	} {
		if err := exec(ctx, s, sql); err != nil {
			return reading{}, fmt.Errorf("agree on a start: %w", err)
		}
	}
	for {
		r, err := agreed(ctx, s, run, of)
		if err != nil || r.found {
			return r, err
		}
		select {
		case <-ctx.Done():
			return reading{}, ctx.Err()
		case <-time.After(pollEvery(of)):
		}
	}
}

// agreed asks for the time. Row -1 holds it: whoever first sees that all are there
// inserts it, and the primary key keeps the others from doing so again.
func agreed(ctx context.Context, s *wire.Session, run string, of int) (reading, error) {
	fail := func(err error) (reading, error) { return reading{}, fmt.Errorf("agree on a start: %w", err) }
	rows, err := s.Query(ctx, fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE run = '%s' AND number >= 0", table, run))
	if err != nil {
		return fail(err)
	}
	if len(rows) != 1 || rows[0][0] != strconv.Itoa(of) { // the insert below would lock what the others write
		return reading{}, nil
	}
	err = exec(ctx, s, fmt.Sprintf("INSERT IGNORE INTO %s (run, number, begins) SELECT '%s', -1, NOW(6) + INTERVAL %d SECOND FROM (SELECT COUNT(*) AS there FROM %s WHERE run = '%s' AND number >= 0) AS g WHERE there = %d",
		table, run, int(head.Seconds()), table, run, of))
	if err != nil {
		return fail(err)
	}
	r, err := best(func() (reading, error) { return read(ctx, s, run) })
	if err != nil {
		return fail(err)
	}
	return r, nil
}

// best is the most accurate of some readings; the first says whether there is a start. After
// it the start is known: one that has passed by the next reading, because this machine stood still,
// is late and not another run's, and the load says by how much.
func best(read func() (reading, error)) (reading, error) {
	least, err := read()
	for i := 1; err == nil && least.found && i < readings && time.Until(least.begin) > head/4; i++ {
		r, err := read()
		if err != nil || !r.found {
			break
		}
		if r.took < least.took {
			least = r
		}
	}
	return least, err
}

// readings are how often the start is read: the one with the shortest round trip is the
// most accurate (Cristian, "Probabilistic clock synchronization", 1989). On a busy machine
// single round trips take 100 ms and more.
const readings = 8

// reading is the start by this machine's clock, and how long the server took to tell.
type reading struct {
	begin time.Time
	took  time.Duration
	found bool
}

func read(ctx context.Context, s *wire.Session, run string) (reading, error) {
	asked := time.Now()
	rows, err := s.Query(ctx, fmt.Sprintf("SELECT TIMESTAMPDIFF(MICROSECOND, NOW(6), begins) FROM %s WHERE run = '%s' AND number = -1", table, run))
	took := time.Since(asked)
	if err != nil || len(rows) == 0 {
		return reading{}, err
	}
	micros, err := strconv.ParseInt(rows[0][0], 10, 64)
	if err != nil {
		return reading{}, err
	}
	if micros < 0 {
		return reading{}, fmt.Errorf("run %s began %d us ago: every load needs a name of its own", run, -micros)
	}
	return reading{asked.Add(took/2 + time.Duration(micros)*time.Microsecond), took, true}, nil
}

// exec runs a statement of its own transaction, again when the server has rolled it back
// for another generator's: all of them write the same few rows, so deadlocks are to be
// expected ("Always be prepared to re-issue a transaction", MySQL Reference Manual,
// Deadlocks in InnoDB). It ends with ctx at the latest.
func exec(ctx context.Context, s *wire.Session, sql string) error {
	for {
		err := s.Exec(ctx, sql)
		var refused *wire.ServerError
		if !errors.As(err, &refused) || refused.Code != codeDeadlock && refused.Code != codeLockWaitTimeout {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Error codes of a transaction that was rolled back for another (MySQL error reference).
const (
	codeDeadlock        = 1213
	codeLockWaitTimeout = 1205
)

// Leave removes what a generator left in the table once its load has ended; the
// last one also removes the time, so that nothing of the run stays.
func Leave(ctx context.Context, s *wire.Session, run string, number int) error {
	for _, sql := range []string{
		fmt.Sprintf("DELETE FROM %s WHERE run = '%s' AND number = %d", table, run, number),
		// MySQL reads the table it deletes from in a derived table only (error 1093).
		fmt.Sprintf("DELETE FROM %s WHERE run = '%s' AND (SELECT n FROM (SELECT COUNT(*) AS n FROM %s WHERE run = '%s' AND number >= 0) AS g) = 0",
			table, run, table, run),
	} {
		if err := exec(ctx, s, sql); err != nil {
			return fmt.Errorf("leave run %s: %w", run, err)
		}
	}
	return nil
}

// Drop drops the generators' own table.
func Drop(ctx context.Context, s *wire.Session) error {
	if err := s.Exec(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
		return fmt.Errorf("drop %s: %w", table, err)
	}
	return nil
}
