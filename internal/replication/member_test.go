package replication

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"
)

// member is one that answers queries as a test says.
type member struct {
	// answers are rows, with the names of their columns first, by a part of the query; the first part
	// that a query contains counts.
	answers []answer
	done    []string // the statements without rows
}

type answer struct {
	part string
	rows [][]string
}

func one(part, column, value string) answer {
	return answer{part, [][]string{{column}, {value}}}
}

func status(part string, values ...string) answer {
	rows := [][]string{{"Variable_name", "Value"}}
	for i := 0; i < len(values); i += 2 {
		rows = append(rows, values[i:i+2])
	}
	return answer{part, rows}
}

// connect opens all members.
func connect(t *testing.T, members ...*member) (all []*sql.DB) {
	t.Helper()
	for _, m := range members {
		db := sql.OpenDB(m)
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	return all
}

func (m *member) Connect(context.Context) (driver.Conn, error) { return connection{m}, nil }
func (m *member) Driver() driver.Driver                        { return nil }

type connection struct{ *member }

func (connection) Close() error                        { return nil }
func (connection) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (connection) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }

func (c connection) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	c.done = append(c.done, query)
	return driver.ResultNoRows, nil
}

func (c connection) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	for _, a := range c.answers {
		if strings.Contains(query, a.part) {
			return &rows{a.rows[0], a.rows[1:]}, nil
		}
	}
	return nil, errors.New("no answer to " + query)
}

type rows struct {
	columns []string
	left    [][]string
}

func (r *rows) Columns() []string { return r.columns }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(into []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	for i, cell := range r.left[0] {
		into[i] = cell
	}
	r.left = r.left[1:]
	return nil
}
