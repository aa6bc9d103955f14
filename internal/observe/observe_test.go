package observe_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/observe"
	"github.com/tarebench/tare/internal/record"
)

// TestWatch: a server that somebody else loads is counted and timed, by transactions where
// it times them and by statements where not. A MariaDB times them by userstat or by performance_schema, which are off
// by default; what it has not timed is said.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		flavour, unit, untimed string
		config                 map[string]string
	}{
		"mysql":                        {mysqld.MySQL, observe.Transactions, "", nil},
		"mysql, no performance_schema": {mysqld.MySQL, observe.Statements, "schema-off", map[string]string{"performance_schema": "OFF"}},
		"mariadb":                      {mysqld.MariaDB, observe.Statements, "userstat-off", nil},
		"mariadb, userstat":            {mysqld.MariaDB, observe.Statements, "", map[string]string{"userstat": "ON"}},
		"mariadb, performance_schema":  {mysqld.MariaDB, observe.Statements, "", map[string]string{"performance_schema": "ON"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := mysqldtest.Flavour(t, c.flavour)
			s := mysqldtest.Start(t, d, c.config)
			db := open(t, s.Address)
			stop := load(t, open(t, s.Address))
			var run *record.Run
			mysqldtest.Attempts(t, 5, func() (err error) {
				run, err = observe.Watch(t.Context(), observe.Server{DB: db, PID: s.PID, Root: os.DirFS("/")}, 2*time.Second)
				if err != nil {
					stop()
					t.Fatal(err) // which another attempt must not hide
				}
				if c.untimed == "schema-off" { // MySQL then names no threads either
					return counted(run, "mysql.questions", "host.cpu.user_ns")
				}
				return counted(run, "mysql.questions", "server.session.run_ns", "host.cpu.user_ns")
			})
			stop()
			window := run.Trials[0].Window
			if window.Counts.Transactions < 1 || window.Seconds < 2 {
				t.Errorf("%d in %.1f s", window.Counts.Transactions, window.Seconds)
			}
			if observe.Unit(run) != c.unit {
				t.Errorf("the unit is a %s, want a %s", observe.Unit(run), c.unit)
			}
			if timed := window.Latency != nil && window.Latency.Mean > 0; timed != (c.untimed == "") {
				t.Errorf("latency %+v", window.Latency)
			}
			if why, _ := observe.Untimed(run); c.untimed != "" && why != c.untimed {
				t.Errorf("not timed: %s, want %s", why, c.untimed)
			}
			if known := !math.IsNaN(observe.ServerShare(run)); known != (c.untimed == "") {
				t.Errorf("what the watching took is known: %v", known)
			}
			facts := map[string]record.Fact{}
			for _, f := range run.Trials[0].Facts {
				facts[f.Key] = f
			}
			if f := facts["network.client"]; f.Value != "socket" && name != "mysql, no performance_schema" {
				t.Errorf("how clients are connected: %+v", f)
			}
			if f := facts["container.namespace.net"]; f.Value != "the host's" {
				t.Errorf("network namespace: %+v", f)
			}
			if f := facts["container.data.filesystem"]; f.Value == "" {
				t.Errorf("file system of the data: %+v", f)
			}
		})
	}
}

// counted is an error where a counter was not read at both ends of the span. A server that a busy
// machine lets stand still as long as an answer may take leaves out its own.
func counted(run *record.Run, names ...string) error {
	arm := compare.Run(run).Arms[0]
	for _, name := range names {
		if _, ok := arm.Counter(name); !ok {
			return fmt.Errorf("%s was not read", name)
		}
	}
	return nil
}

// TestWatchPrepared: executions of prepared statements count, of which MariaDB makes no event
// of their own kind.
func TestWatchPrepared(t *testing.T) {
	s := mysqldtest.Start(t, mysqldtest.Flavour(t, mysqld.MariaDB), map[string]string{"performance_schema": "ON"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type watched struct {
		run *record.Run
		err error
	}
	db, app, done := open(t, s.Address), open(t, s.Address), make(chan watched, 1)
	go func() {
		run, err := observe.Watch(ctx, observe.Server{DB: db, PID: s.PID, Root: os.DirFS("/")}, time.Hour)
		done <- watched{run, err}
	}()
	for begun := 0; begun < 2; time.Sleep(10 * time.Millisecond) { // before the span, and in it
		if err := app.QueryRow("SELECT COALESCE(SUM(COUNT_STAR), 0) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'SHOW GLOBAL STATUS%'").Scan(&begun); err != nil {
			t.Fatal(err)
		}
	}
	stmt, err := app.Prepare("DO ?")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	const executions = 1000 // far more than the watching's own statements
	for n := range executions {
		if _, err := stmt.Exec(n); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	w := <-done
	if w.err != nil {
		t.Fatal(w.err)
	}
	if n := w.run.Trials[0].Window.Counts.Transactions; n < executions || observe.Unit(w.run) != observe.Statements {
		t.Errorf("%d %ss, want %d or more", n, observe.Unit(w.run), executions)
	}
}

// TestWatchEndsEarly: an interrupted watch returns what it saw.
func TestWatchEndsEarly(t *testing.T) {
	s := mysqldtest.Start(t, mysqldtest.Flavour(t, mysqld.MySQL), nil)
	ctx, cancel := context.WithCancel(t.Context())
	db := open(t, s.Address)
	done := make(chan error, 1)
	go func() {
		run, err := observe.Watch(ctx, observe.Server{DB: db, Root: os.DirFS("/")}, time.Hour)
		if err == nil && run.Trials[0].Window == nil {
			err = fmt.Errorf("no window")
		}
		done <- err
	}()
	// It has begun when its statements are counted.
	counter := open(t, s.Address)
	for n := 0; n == 0; {
		if err := counter.QueryRow("SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'SELECT @@%datadir%'").Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	select {
	case <-done: // nil, or that the server could not be asked any more
	case <-time.After(2 * time.Minute):
		t.Fatal("Watch does not return when its context ends")
	}
}

func open(t *testing.T, a mysqld.Address) *sql.DB {
	t.Helper()
	db, err := mysqld.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// load runs statements until stop is called, which waits for the last one. The first has
// been answered when it returns.
func load(t *testing.T, db *sql.DB) (stop func()) {
	t.Helper()
	ask := func() {
		if _, err := db.Exec("DO (SELECT COUNT(*) FROM mysql.help_topic)"); err != nil {
			t.Error(err)
		}
	}
	ask()
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			default:
				ask()
			}
		}
	}()
	return func() { close(end); <-done }
}
