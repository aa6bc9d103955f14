package mysqldtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// Answers is a server of which a test says what it answers (sql.OpenDB). Query returns the names of the
// columns and the rows; Exec is told of statements without rows, nil where there are none.
type Answers struct {
	Query func(query string, args []driver.NamedValue) (columns []string, rows [][]string, err error)
	Exec  func(query string)
}

// Connect implements driver.Connector.
func (a *Answers) Connect(context.Context) (driver.Conn, error) { return answering{a}, nil }

// Driver implements driver.Connector.
func (a *Answers) Driver() driver.Driver { return nil }

type answering struct{ *Answers }

func (answering) Close() error                        { return nil }
func (answering) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (answering) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }

func (a answering) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	if a.Exec == nil {
		return nil, errors.ErrUnsupported
	}
	a.Exec(query)
	return driver.ResultNoRows, nil
}

func (a answering) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	columns, left, err := a.Query(query, args)
	if err != nil {
		return nil, err
	}
	return &rows{columns, left}, nil
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
