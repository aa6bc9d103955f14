package runner

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// errOther is an answer that does not come from the server that the load began with, or
// a schema that is not the one that it had.
var errOther = errors.New("not the server that the load began with")

// askWithin bounds the questions before and after the load.
const askWithin = 10 * time.Second

// session is the watcher's own connection, and what the server was when it was made.
type session struct {
	db     *sql.DB
	conn   *sql.Conn // nil: broken
	schema string
	// hold are statements for every connection: by them generators elsewhere see that
	// their controller is there. held is false while another connection has the lock that
	// they ask for, such as the one before, of which the server does not know that it is broken.
	hold []string
	held bool
	// who is the server, tables the creation times of the schema's tables; zero where it
	// could not be asked.
	who    serverIdentity
	tables map[string]string
}

// newSession connects. A server that cannot be asked has no identity to compare.
func newSession(ctx context.Context, at mysqld.Address, schema string, hold ...string) *session {
	s := &session{schema: schema, hold: hold}
	var err error
	if s.db, err = mysqld.Open(at); err != nil {
		return s
	}
	s.db.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if s.conn, err = s.db.Conn(ctx); err != nil {
		s.conn = nil
		return s
	}
	s.holdOn(ctx)
	if s.who, err = identify(ctx, s.conn); err != nil {
		s.who = serverIdentity{}
	}
	if s.tables, err = s.list(ctx); err != nil {
		s.tables = nil
	}
	return s
}

// ask asks for an answer, on a new connection where the last one broke.
func (s *session) ask(ctx context.Context) error {
	if s.db == nil {
		return errors.New("the server's address cannot be used")
	}
	if s.conn != nil {
		var one int
		err := s.conn.QueryRowContext(ctx, "SELECT 1").Scan(&one)
		if err == nil && !s.held {
			s.holdOn(ctx)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		s.conn.Close() // it is broken
		s.conn = nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	s.conn = conn
	s.holdOn(ctx)
	return s.same(ctx)
}

// holdOn runs the statements of hold. A server that refuses them (Galera has no such
// locks) has generators that end by their own time alone.
func (s *session) holdOn(ctx context.Context) {
	s.held = true
	for _, statement := range s.hold {
		answer, err := s.answer(ctx, statement)
		if err != nil {
			return
		}
		s.held = s.held && answer != "0" // GET_LOCK
	}
}

// answer is the first value that a statement returns, "" where it returns none.
func (s *session) answer(ctx context.Context, statement string) (string, error) {
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var value sql.NullString
	if rows.Next() {
		if err := rows.Scan(&value); err != nil {
			return "", err
		}
	}
	return value.String, rows.Err()
}

// same compares who answers with who answered before the load.
func (s *session) same(ctx context.Context) error {
	now, err := identify(ctx, s.conn)
	switch {
	case err != nil || s.who.name == "":
		return err
	case now.name != s.who.name:
		return record.OtherServer.Error(errOther, now.name, s.who.name)
	case now.earliest > s.who.latest:
		return record.Restarted.Error(errOther, fmt.Sprint(now.uptime))
	}
	return nil
}

// list is when each table of the schema was made: a table that was dropped, truncated or
// created again has another time.
func (s *session) list(ctx context.Context) (map[string]string, error) {
	if s.schema == "" {
		return nil, nil
	}
	rows, err := s.conn.QueryContext(ctx, "SELECT table_name, COALESCE(create_time, '') FROM information_schema.tables WHERE table_schema = ?", s.schema)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tables := map[string]string{}
	for rows.Next() {
		var name, made string
		if err := rows.Scan(&name, &made); err != nil {
			return nil, err
		}
		tables[name] = made
	}
	return tables, rows.Err()
}

// sameTables compares the schema with what it was before the load.
func (s *session) sameTables(ctx context.Context) error {
	if len(s.tables) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if err := s.ask(ctx); err != nil { // the end of the watch may have broken the connection
		if errors.Is(err, errOther) {
			return err
		}
		return nil
	}
	now, err := s.list(ctx)
	if err != nil {
		return nil // the server answers, which is what is asked here
	}
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		if now[name] != s.tables[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if n := len(gone) - 3; n > 0 {
		return record.MoreTablesLost.Error(errOther, s.schema, strings.Join(gone[:3], ", "), fmt.Sprint(n))
	}
	return record.TablesLost.Error(errOther, s.schema, strings.Join(gone, ", "))
}

func (s *session) close() {
	if s.conn != nil {
		_ = s.conn.Close() // it only read
	}
	if s.db != nil {
		_ = s.db.Close()
	}
}
