package replication

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
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
		db := sql.OpenDB(&mysqldtest.Answers{Query: m.query, Exec: func(query string) { m.done = append(m.done, query) }})
		t.Cleanup(func() { db.Close() })
		all = append(all, db)
	}
	return all
}

func (m *member) query(query string, _ []driver.NamedValue) (columns []string, rows [][]string, err error) {
	for _, a := range m.answers {
		if strings.Contains(query, a.part) {
			return a.rows[0], a.rows[1:], nil
		}
	}
	return nil, nil, errors.New("no answer to " + query)
}
