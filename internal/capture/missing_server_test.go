package capture_test

import (
	"database/sql"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestMissingStatements: where the server overwrites the history during a reading, because its
// answer is read slowly, no transaction is put together from statements of two.
func TestMissingStatements(t *testing.T) {
	for _, flavour := range []string{mysqld.MySQL, mysqld.MariaDB} {
		t.Run(flavour, func(t *testing.T) {
			s := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), map[string]string{"performance_schema": "ON",
				"performance_schema_consumer_events_statements_current": "ON", "performance_schema_consumer_events_statements_history_long": "ON", "performance_schema_events_statements_history_long_size": "3000"})
			execute(t, open(t, s.Address), "CREATE DATABASE app", "CREATE TABLE app.t (a INT, b INT, c INT, d INT, e INT)")
			a := s.Address
			a.Schema = "app"
			app := open(t, a)
			app.SetMaxOpenConns(1)
			slow := newSlowReader(t, s.Address.Socket)
			reader := &mysqldtest.Server{Address: slow.address(s.Address)}
			_, seen := captured(t, reader, "app", capture.Options{Name: "app"}, func() {
				transactions(t, app, 500) // fill the history
				slow.stall.Store(true)
				slow.wait(t)
				transactions(t, app, 700) // and overwrite it
				slow.stall.Store(false)
			})
			whole := 0
			for _, tx := range seen.Transactions {
				if tx.Explicit && slices.Equal(names(seen, tx), fiveSelects) {
					whole++
				} else {
					t.Errorf("transaction of %q", names(seen, tx))
				}
			}
			if whole < 300 {
				t.Errorf("%d transactions were seen whole", whole)
			}
		})
	}
}

// fiveSelects, with BEGIN and COMMIT, are seven statements: 3,000 hold no whole number of them, so
// that the old and the new part of a history do not fit together.
var fiveSelects = []string{"SELECT `a` FROM `t`", "SELECT `b` FROM `t`", "SELECT `c` FROM `t`", "SELECT `d` FROM `t`", "SELECT `e` FROM `t`"}

func transactions(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	for range n {
		execute(t, db, "BEGIN")
		execute(t, db, fiveSelects...)
		execute(t, db, "COMMIT")
	}
}

// names are the texts of a transaction's statements.
func names(seen *capture.Seen, tx capture.Transaction) (texts []string) {
	for _, i := range tx.Statements {
		texts = append(texts, strings.TrimSpace(seen.Statements[i].Text)) // MariaDB's end with a space
	}
	return texts
}

// slowReader passes on what connections to a server send and receive. While it stalls,
// it takes no more of an answer that is longer than 16 KiB.
type slowReader struct {
	port    int
	stall   atomic.Bool
	stalled atomic.Bool
}

func newSlowReader(t *testing.T, socket string) *slowReader {
	t.Helper()
	s := &slowReader{}
	s.port = mysqldtest.Relay(t, "unix", socket, s.pass) // the send buffer of TCP can take all of the answer
	return s
}

func (s *slowReader) pass(client, server net.Conn) {
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		for n >= 16<<10 && s.stall.Load() {
			s.stalled.Store(true)
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// wait returns when a reading is stalled.
func (s *slowReader) wait(t *testing.T) {
	t.Helper()
	for !s.stalled.Load() {
		select {
		case <-t.Context().Done():
			t.Fatal("no reading was long enough to be stalled")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// address is that of the server through the slow reader.
func (s *slowReader) address(of mysqld.Address) mysqld.Address {
	of.Socket, of.Host, of.Port = "", "127.0.0.1", s.port
	return of
}
