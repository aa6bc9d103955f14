package fill

// Tables of workload files: their definitions are a user's, so tare marks those that it
// makes, and learns from the server which columns it can compare.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

func (t *table) columnList() string {
	var all []string
	for _, c := range t.Columns {
		all = append(all, mysqld.QuoteName(c))
	}
	return strings.Join(all, ", ")
}

// withoutForeignKeys has the session fill and drop the tables of a workload file in any
// order.
func withoutForeignKeys(ctx context.Context, s *wire.Session, tables []workload.Table) error {
	if !slices.ContainsFunc(tables, func(t workload.Table) bool { return t.Own != nil }) {
		return nil
	}
	if err := s.Exec(ctx, "SET SESSION foreign_key_checks=0"); err != nil {
		return fmt.Errorf("switch off foreign key checks: %w", err)
	}
	return nil
}

// ErrNotOurs is a table that is there already and that tare has not made.
var ErrNotOurs = errors.New("the table exists and was not made by tare: use another schema, or another name in the workload file")

// marked says why a table is not one that tare made for a workload file. There is no error for a
// table that is not there.
func marked(ctx context.Context, s *wire.Session, t workload.Table) error {
	rows, err := s.Query(ctx, "SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '"+t.Name+"'")
	if err != nil {
		return fmt.Errorf("look at %s: %w", t.Name, err)
	}
	if len(rows) > 0 && rows[0][0] != t.Own.Mark {
		return fmt.Errorf("%s: %w", t.Name, ErrNotOurs)
	}
	return nil
}

// claim marks a table that has just been made, wants the mark on one that was there, and
// finds out which of its columns can be compared.
func (in *inserter) claim(ctx context.Context, t *table, exists bool) error {
	if exists {
		if err := marked(ctx, in.session, t.Table); err != nil {
			return err
		}
	} else if err := in.session.Exec(ctx, "ALTER TABLE "+mysqld.QuoteName(t.Name)+" COMMENT = '"+t.Own.Mark+"'"); err != nil {
		return fmt.Errorf("mark the table as tare's: %w", err)
	}
	rows, err := in.session.Query(ctx, "SELECT COLUMN_NAME, DATA_TYPE, NUMERIC_SCALE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '"+t.Name+"'")
	if err != nil {
		return fmt.Errorf("look at its columns: %w", err)
	}
	t.compared = make([]bool, len(t.Columns))
	for i, name := range t.Columns {
		for _, row := range rows {
			if strings.EqualFold(row[0], name) {
				t.compared[i] = comparable(t.Own.Types[i], strings.ToLower(row[1]), row[2])
			}
		}
	}
	return nil
}

// comparable says that the server returns a column's values as they were written. Others
// are stored in another form: a time with its column's digits, a FLOAT rounded, a CHAR
// without the spaces at its end.
func comparable(t workload.SlotType, column, scale string) bool {
	switch t.Kind {
	case workload.SlotWhole:
		return !t.Varies && (strings.HasSuffix(column, "int") || column == "varchar" || strings.HasSuffix(column, "text") || column == "decimal" && scale == "0")
	case workload.SlotDecimal:
		return !t.Varies && column == "decimal" && scale == fmt.Sprint(t.Decimals)
	case workload.SlotText:
		return column == "varchar" || strings.HasSuffix(column, "text")
	}
	return false
}

// wholeOrEmpty finds the portions of a table whose rows cannot be told apart: all, or none.
func (in *inserter) wholeOrEmpty(ctx context.Context, t *table) error {
	rows, err := in.session.Query(ctx, "SELECT COUNT(*) FROM "+mysqld.QuoteName(t.Name))
	if err != nil {
		return err
	}
	switch rows[0][0] {
	case "0":
	case fmt.Sprint(t.Units):
		for i := range t.present {
			t.present[i] = true
		}
	default:
		return fmt.Errorf("the table has %s of %d rows, and no column is a sequence by which the missing ones could be found: clean up, then prepare again", rows[0][0], t.Units)
	}
	return nil
}

// otherRows is the error of a table whose rows are not those that were made.
func (t *table) otherRows() error {
	if t.Own == nil {
		return ErrOtherRows
	}
	return fmt.Errorf("%w; or the server stored values in another form than the file has: change its columns or how they are drawn", ErrOtherRows)
}
