package capture_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestCapturePrepared: MariaDB makes no digest of the execution of a prepared statement. If
// that is all there was, the error says where to read them; else the file says how many are
// missing.
func TestCapturePrepared(t *testing.T) {
	s := mysqldtest.Start(t, mysqldtest.Flavour(t, mysqld.MariaDB), map[string]string{"performance_schema": "ON"})
	execute(t, open(t, s.Address), "CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY)", "INSERT INTO app.t VALUES (1), (2), (3)")
	a := s.Address
	a.Schema = "app"
	app := open(t, a)
	app.SetMaxOpenConns(1)
	prepared := func() {
		stmt, err := app.Prepare("SELECT id FROM t WHERE id = ?")
		if err != nil {
			t.Fatal(err)
		}
		for n := range 30 {
			var id int
			if err := stmt.QueryRow(n%3 + 1).Scan(&id); err != nil {
				t.Fatal(err)
			}
		}
		// The server counts an execution after it has answered, and before the connection's next command.
		if err := errors.Join(stmt.Close(), app.Ping()); err != nil {
			t.Fatal(err)
		}
	}
	d, seen := captured(t, s, "app", capture.Options{Name: "app"}, func() {
		for range 10 {
			execute(t, app, "SELECT id FROM t WHERE id = 1")
		}
		prepared()
	})
	if text := string(d.File.Marshal()); seen.Uncounted.Count != 30 || d.CoveredCount > 0.3 || !strings.Contains(text, "30 statements that were prepared in advance") {
		t.Errorf("%.0f not counted, coverage %.2f\n%s", seen.Uncounted.Count, d.CoveredCount, text)
	}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	db, monitor := open(t, s.Address), open(t, s.Address)
	db.SetMaxOpenConns(1)
	before, done := readings(t, monitor), make(chan error, 1)
	go func() {
		_, err := capture.Watch(ctx, capture.Server{DB: db, Schema: "app"}, time.Hour)
		done <- err
	}()
	for readings(t, monitor) == before {
		select {
		case err := <-done:
			t.Fatalf("the watching has ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	prepared()
	stop()
	if err := <-done; !errors.Is(err, capture.ErrPrepared) {
		t.Errorf("%v, want %v", err, capture.ErrPrepared)
	}
}

// TestAdvisedOnce: a MariaDB whose statements are not counted is advised the same before a restart with
// performance_schema=ON and after it, so that nobody restarts a server in vain. MySQL is advised to switch it on.
func TestAdvisedOnce(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := mysqldtest.Start(t, d, map[string]string{"performance_schema": "OFF"})
			db := open(t, s.Address)
			db.SetMaxOpenConns(1)
			_, err := capture.Watch(t.Context(), capture.Server{DB: db}, 2*time.Second)
			want := map[string]error{mysqld.MySQL: capture.ErrOff, mysqld.MariaDB: capture.ErrOffMariaDB}[d.Flavour]
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
	const advice = "read the slow log, which needs no restart"
	for _, err := range []error{capture.ErrOffMariaDB, capture.ErrPrepared} {
		if !strings.Contains(err.Error(), advice) || strings.Contains(err.Error(), "performance_schema=ON") {
			t.Errorf("%v, want %q and no restart", err, advice)
		}
	}
}
