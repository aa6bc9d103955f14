package fill

import (
	"context"
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// Drop drops the tables. Unless their names are sysbench's, which no other program
// uses, it looks at their columns first: a customer table may be somebody's.
func Drop(ctx context.Context, dial func(context.Context) (*wire.Session, error), tables []workload.Table) error {
	s, err := dial(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := withoutForeignKeys(ctx, s, tables); err != nil {
		return err
	}
	for _, t := range tables {
		if err := ours(ctx, s, t); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := s.Exec(ctx, "DROP TABLE IF EXISTS "+mysqld.QuoteName(t.Name)); err != nil {
			return fmt.Errorf("drop %s: %w", t.Name, err)
		}
	}
	return nil
}

// ours says why a table is not one that a workload made.
func ours(ctx context.Context, s *wire.Session, t workload.Table) error {
	if t.AnyColumns {
		return nil
	}
	if t.Own != nil {
		return marked(ctx, s, t)
	}
	rows, err := s.Query(ctx, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '"+t.Name+"' ORDER BY ORDINAL_POSITION")
	if err != nil {
		return fmt.Errorf("look at %s: %w", t.Name, err)
	}
	if len(rows) == 0 || slices.EqualFunc(rows, t.Columns, func(row []string, name string) bool { return row[0] == name }) {
		return nil
	}
	return fmt.Errorf("drop %s: its columns are not those of the workload; nothing was dropped: use another schema", t.Name)
}
