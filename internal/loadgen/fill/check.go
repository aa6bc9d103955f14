package fill

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// ErrInconsistent is data for which a condition of the workload does not hold: the
// server, or what was done to its tables, has lost or invented something.
var ErrInconsistent = errors.New("the data are inconsistent")

// Check checks conditions, all in one snapshot, so that transactions under way
// neither matter nor wait. The error names every one that does not hold, with the
// number of places and the figures of one of them.
func Check(ctx context.Context, dial func(context.Context) (*wire.Session, error), conditions []workload.Condition) error {
	s, err := dial(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, sql := range []string{"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT"} {
		if err := s.Exec(ctx, sql); err != nil {
			return fmt.Errorf("check the data: %w", err)
		}
	}
	return CheckIn(ctx, s, conditions)
}

// CheckIn checks conditions in the transaction that a session is in.
func CheckIn(ctx context.Context, s *wire.Session, conditions []workload.Condition) error {
	var violations []error
	for _, c := range conditions {
		rows, err := s.Query(ctx, c.SQL)
		if err != nil {
			return fmt.Errorf("check %s: %w", c.Name, err)
		}
		if len(rows) != 1 || len(rows[0]) != 2 {
			return fmt.Errorf("check %s: answer is %v", c.Name, rows)
		}
		if rows[0][0] != "0" {
			violations = append(violations, record.Inconsistent.Error(ErrInconsistent, c.Name, rows[0][0], rows[0][1]))
		}
	}
	return errors.Join(violations...)
}
