package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestExplainStuck: all sessions wait for a lock of a transaction whose client sleeps, for the whole span. No counter of
// waits grows meanwhile, and the only statements that end are tare's own.
func TestExplainStuck(t *testing.T) {
	t.Parallel()
	for _, flavour := range []string{"mysql", "mariadb"} {
		for _, c := range []struct {
			name, first, held, says string
		}{
			{"row", "UPDATE stuck.t SET n = 1 WHERE id = 1", "UPDATE stuck.t SET n = 2 WHERE id = 1", `at each of \d+ readings, 4 sessions or more waited for row locks; at the end, 4 waited`},
			{"metadata", "SELECT * FROM stuck.t", "ALTER TABLE stuck.t ADD COLUMN m INT", `at the end, 4 sessions waited for metadata locks`},
		} {
			t.Run(flavour+" "+c.name, func(t *testing.T) {
				t.Parallel()
				server, db := stuckServer(t, flavour)
				defer waitersBehind(t, db, c.first, c.held, 4)()
				says := c.says
				if flavour == "mariadb" && c.name == "metadata" {
					says += `.*connection \d+ \(.*\) has the only open transaction that does not wait for a metadata lock, and may hold it.* Fix: have the client of connection \d+ commit .*metadata_lock_info`
				}
				saysTheHolder(t, server, flavour == "mysql" || c.name == "row", says)
			})
		}
	}
}

// TestExplainStuckWithoutPrivileges: an account without PROCESS sees its own sessions only. It is not told that no session
// waits, and is told which privilege shows the holder.
func TestExplainStuckWithoutPrivileges(t *testing.T) {
	t.Parallel()
	for _, flavour := range []string{"mysql", "mariadb"} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			server, db := stuckServer(t, flavour, "CREATE USER low@localhost", "GRANT SELECT ON stuck.* TO low@localhost")
			for _, c := range []struct {
				first, held string
				code        int
				says        string
			}{
				{"SELECT * FROM stuck.t", "ALTER TABLE stuck.t ADD COLUMN m INT", exitDone, "The counters show no cause.* Whether sessions wait for locks is not known: .* GRANT PROCESS .* C-LOCK-01: the account sees its own sessions only"},
				{"UPDATE stuck.t SET n = 1 WHERE id = 1", "UPDATE stuck.t SET n = 2 WHERE id = 1", exitGate, `4 sessions or more waited for row locks; who holds the locks could not be read: the account lacks (the privilege PROCESS|a privilege) Fix: GRANT PROCESS`},
			} {
				end := waitersBehind(t, db, c.first, c.held, 4)
				var out, conversation bytes.Buffer
				code := run([]string{"explain", "--live", server.Address.Socket, "--user", "low", "--for", "3s"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
				end()
				if text := strings.Join(strings.Fields(out.String()), " "); code != c.code || !regexp.MustCompile(c.says).MatchString(text) || strings.Contains(text, "no session waited") {
					t.Errorf("exit code %d, not %d with %q\n%s%s", code, c.code, c.says, out.String(), conversation.String())
				}
			}
		})
	}
}

// stuckServer is a server with a table of one row, after further statements, and a handle to it. Both end with the test.
func stuckServer(t *testing.T, flavour string, further ...string) (*mysqldtest.Server, *sql.DB) {
	t.Helper()
	server := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), nil)
	t.Cleanup(func() { server.Stop(t) })
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, q := range append([]string{"CREATE DATABASE stuck", "CREATE TABLE stuck.t (id INT PRIMARY KEY, n INT)", "INSERT INTO stuck.t VALUES (1, 0)"}, further...) {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return server, db
}

// waitersBehind has a transaction open with a first statement, and sessions that wait behind it.
func waitersBehind(t *testing.T, db *sql.DB, first, behind string, n int) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	holder, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(first); err != nil {
		t.Fatal(err)
	}
	for range n {
		go func() { _, _ = db.ExecContext(ctx, behind) }()
	}
	for waiting := 0; waiting < n; time.Sleep(10 * time.Millisecond) {
		err := db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND = 'Query' AND ID <> CONNECTION_ID() AND (INFO LIKE 'UPDATE%' OR INFO LIKE 'ALTER%')").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	return func() { _ = holder.Rollback(); cancel() }
}

func saysTheHolder(t *testing.T, server *mysqldtest.Server, holder bool, says string) {
	t.Helper()
	var out, conversation bytes.Buffer
	code := run([]string{"explain", "--live", server.Address.Socket, "--user", server.Address.User, "--for", "3s"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
	if code != exitGate {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), conversation.String())
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{says, `Present: .*C-LOCK-01`, `0\.\d (statements|transactions)/s`} { // a statement of this test's own can end in the span
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if holder && !regexp.MustCompile(`connection \d+ \(`+server.Address.User+`@localhost\) holds the lock .* Fix: have the client of connection \d+ commit or roll back`).MatchString(text) {
		t.Errorf("the holder is not named:\n%s", out.String())
	}
	if strings.Contains(text, "The counters show no cause") {
		t.Errorf("a cause is present and denied:\n%s", out.String())
	}
}
