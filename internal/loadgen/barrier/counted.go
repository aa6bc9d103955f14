package barrier

// A generator measures its network path to the server after the load. It waits until the counters of the load have been
// read, as its connections and bytes would count as the load's.

import (
	"context"
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// counted is the number of the row that says that the counters of a run have been read. It is a row and no lock, so
// that it is seen on every member of a cluster.
const counted = -2

// CountedSQL is the statement with which the controller of a run says, on a connection of its own, that it has read the
// counters. Schema is the load's.
func CountedSQL(schema, run string) string {
	return fmt.Sprintf("REPLACE INTO `%s`.%s (run, number) VALUES ('%s', %d)", schema, table, run, counted)
}

// lookForCounted is the time between two looks.
const lookForCounted = 200 * time.Millisecond

// Counted waits until the controller of a run has read the counters, or until ctx ends.
func Counted(ctx context.Context, s *wire.Session, run string) error {
	for {
		rows, err := s.Query(ctx, fmt.Sprintf("SELECT 1 FROM %s WHERE run = '%s' AND number = %d", table, run, counted))
		if err != nil {
			return fmt.Errorf("wait until the counters have been read: %w", err)
		}
		if len(rows) > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until the counters have been read: %w", context.Cause(ctx))
		case <-time.After(lookForCounted):
		}
	}
}
