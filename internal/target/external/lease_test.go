package external

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
)

// elsewhere is a tare on another machine: nobody here can know whether it has ended.
func elsewhere(pid int) func() (target.Note, error) {
	return func() (target.Note, error) {
		return target.Note{PID: pid, StartTicks: 1, Boot: "another machine", Namespace: "another one"}, nil
	}
}

// ended is a tare of this machine that runs no more.
func ended() (target.Note, error) {
	n, err := target.Self()
	n.StartTicks++ // another process had the number
	return n, err
}

// as is the target of another process.
func (s someone) as(t *testing.T, self func() (target.Note, error), ledger string) *external {
	t.Helper()
	e := s.target(t, "user: tare, shared: true")
	e.env.Self, e.env.Ledger = self, ledger
	t.Cleanup(func() { e.lease.stop() })
	return e
}

func begin(t *testing.T, e *external) (target.Server, error) {
	t.Helper()
	r := requests(t)()
	r.Run = "/runs/of-" + fmt.Sprint(t.Name())
	server, err := e.Start(context.Background(), r)
	if err == nil {
		t.Cleanup(func() { server.Stop(context.Background()) })
	}
	return server, err
}

// TestSchemaIsOneTares: one tare at a time uses a schema on somebody else's server, and
// none a schema that is not tare's.
func TestSchemaIsOneTares(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, nil)
			s.run(t, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)")
			before := s.state(t)
			t.Run("Foreign", func(t *testing.T) { testForeignSchema(t, s) })
			t.Run("Refused", func(t *testing.T) { testRefused(t, s) })
			t.Run("OfOneThatEnded", func(t *testing.T) { testOfOneThatEnded(t, s) })
			t.Run("OverByTime", func(t *testing.T) { testOverByTime(t, s) })
			t.Run("Together", func(t *testing.T) { testTogether(t, s) })
			t.Run("Ledger", func(t *testing.T) { testLedger(t, s) })
			if diff := cmp.Diff(before, s.state(t)); diff != "" {
				t.Errorf("the server has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// testRefused: the second is refused before it has written or dropped anything, and is
// told who has the schema.
func testRefused(t *testing.T, s someone) {
	first, second := s.as(t, elsewhere(1), ""), s.as(t, elsewhere(2), "")
	if _, err := begin(t, first); err != nil {
		t.Fatal(err)
	}
	s.run(t, "CREATE TABLE tare_bench.sbtest1 (id INT)", "INSERT INTO tare_bench.sbtest1 VALUES (7)")
	for range 2 { // the first may go on
		if _, err := begin(t, first); err != nil {
			t.Errorf("the first: %v", err)
		}
	}
	expect(t, "the second's check", errors.Join(second.Check(context.Background())...), "schema", "in use by another tare: process 1 on host ")
	_, err := begin(t, second)
	var held *mysqld.HeldError
	if !errors.As(err, &held) || held.Holder.Process != 1 || !strings.Contains(err.Error(), "/runs/of-TestSchemaIsOneTares") {
		t.Errorf("the second's start: %v", err)
	}
	if err := second.Release(context.Background()); err != nil {
		t.Errorf("the second's release: %v", err)
	}
	var rows int
	if err := s.root.QueryRow("SELECT COUNT(*) FROM tare_bench.sbtest1").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the first's rows: %d, %v", rows, err)
	}
	if err := first.Release(context.Background()); err != nil {
		t.Errorf("the first's release: %v", err)
	}
	if _, err := begin(t, second); err != nil {
		t.Errorf("the second after the first: %v", err)
	}
	if err := second.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// testOfOneThatEnded: the schema of a process of this machine that was killed can be used
// at once.
func testOfOneThatEnded(t *testing.T, s someone) {
	if _, err := begin(t, s.as(t, ended, "")); err != nil {
		t.Fatal(err)
	}
	next := s.as(t, target.Self, "")
	if errs := next.Check(context.Background()); len(errs) > 0 {
		t.Error(errs)
	}
	if _, err := begin(t, next); err != nil {
		t.Error(err)
	}
	if err := next.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// testOverByTime: a lease that nobody renews ends, and whoever had it is told so.
func testOverByTime(t *testing.T, s someone) {
	first, second := s.as(t, elsewhere(1), ""), s.as(t, elsewhere(2), "")
	server, err := begin(t, first)
	if err != nil {
		t.Fatal(err)
	}
	first.lease.stop() // as a machine does that is suspended
	s.run(t, "UPDATE tare_bench.tare_lease SET renewed = UTC_TIMESTAMP(6) - INTERVAL 31 SECOND")
	if _, err := begin(t, second); err != nil {
		t.Fatal(err)
	}
	// Awake again: the next renewal finds another's lease.
	holder, err := first.holder("")
	if err != nil {
		t.Fatal(err)
	}
	err = first.administer(context.Background(), func(db *sql.DB) error {
		return mysqld.RenewLease(context.Background(), db, "tare_bench", holder.ID)
	})
	if !errors.Is(err, mysqld.ErrLeaseLost) || !strings.Contains(err.Error(), "process 2") {
		t.Errorf("renewal of a lease that is another's: %v", err)
	}
	first.lease.lose(err)
	if err := server.Alive(); !errors.Is(err, mysqld.ErrLeaseLost) {
		t.Errorf("Alive after the lease was lost: %v", err)
	}
	if err := second.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// testTogether: of many that begin at once, one gets the schema.
func testTogether(t *testing.T, s someone) {
	var all []*external
	for pid := range 8 {
		all = append(all, s.as(t, elsewhere(pid+1), ""))
	}
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, e := range all {
		r := requests(t)()
		group.Go(func() {
			server, err := e.Start(context.Background(), r)
			if errs[i] = err; err == nil {
				server.Stop(context.Background())
			}
		})
	}
	group.Wait()
	got := 0
	for i, err := range errs {
		var held *mysqld.HeldError
		switch {
		case err == nil:
			got++
			defer func() {
				if err := all[i].Release(context.Background()); err != nil {
					t.Error(err)
				}
			}()
		case errors.As(err, &held), errors.Is(err, mysqld.ErrForeignSchema): // made, and not yet marked
		default:
			t.Errorf("process %d: %v", i+1, err)
		}
	}
	if got != 1 {
		t.Errorf("%d of %d have the schema: %v", got, len(all), errs)
	}
}

// testLedger: what a killed tare left is named and dropped; what another uses is named and
// stays.
func testLedger(t *testing.T, s someone) {
	ledger := filepath.Join(t.TempDir(), "external")
	clean := func(force bool) (int, string, error) {
		var log bytes.Buffer
		n, err := Clean(context.Background(), ledger, force, &log)
		if strings.Contains(log.String()+fmt.Sprint(err), secret) {
			t.Error("the password is told")
		}
		return n, log.String(), err
	}
	if _, err := begin(t, s.as(t, ended, ledger)); err != nil {
		t.Fatal(err)
	}
	noPassword(t, ledger)
	// Without the password it cannot be dropped; what is left is named.
	t.Setenv("TARE_TEST_PASSWORD", "not-"+secret)
	if n, _, err := clean(false); n != 0 || err == nil || !strings.Contains(err.Error(), "DROP DATABASE `tare_bench`") || !strings.Contains(err.Error(), "127.0.0.1:") {
		t.Errorf("clean with a wrong password: %d, %v", n, err)
	}
	t.Setenv("TARE_TEST_PASSWORD", secret)
	if n, said, err := clean(false); n != 1 || err != nil || !strings.Contains(said, "drop schema tare_bench on 127.0.0.1:") {
		t.Errorf("clean: %d, %q, %v", n, said, err)
	}
	if n, _, err := clean(false); n != 0 || err != nil {
		t.Errorf("clean again: %d, %v", n, err)
	}
	live := s.as(t, elsewhere(1), ledger)
	if _, err := begin(t, live); err != nil {
		t.Fatal(err)
	}
	if n, said, err := clean(false); n != 0 || err != nil || !strings.Contains(said, "is not removed") {
		t.Errorf("clean beside a tare that may run: %d, %q, %v", n, said, err)
	}
	if n, _, err := clean(true); n != 1 || err != nil {
		t.Errorf("clean --force: %d, %v", n, err)
	}
	testForeignNotes(t, ledger, clean)
}

// testForeignNotes: what tare did not write leads nowhere.
func testForeignNotes(t *testing.T, ledger string, clean func(bool) (int, string, error)) {
	for name, text := range map[string]string{
		"empty.json": "", "other.json": `{"host":"127.0.0.1","port":1,"user":"root","schema":"app"}`, "deep.json": strings.Repeat("[", 1000),
	} {
		file := filepath.Join(ledger, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if n, _, err := clean(true); n != 0 || err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// noPassword: the notes say where the password comes from, and not what it is.
func noPassword(t *testing.T, ledger string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ledger, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("notes: %v, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(b), secret) || !strings.Contains(string(b), "TARE_TEST_PASSWORD") {
		t.Errorf("note: %s, %v", b, err)
	}
}

// TestRenewal: a lease is renewed while its holder lives, and no longer.
func TestRenewal(t *testing.T) {
	if renewEvery*2 >= mysqld.LeaseTime {
		t.Errorf("a lease of %s is renewed every %s: one late answer loses it", mysqld.LeaseTime, renewEvery)
	}
	var l lease
	if l.stop() {
		t.Error("a lease that nobody took was stopped")
	}
	if err := l.lostBy(); err != nil {
		t.Error(err)
	}
	l.lose(mysqld.ErrLeaseLost)
	if !errors.Is(l.lostBy(), mysqld.ErrLeaseLost) {
		t.Error("a lost lease is not seen")
	}
}

// TestKeepsSchema: an account that may only use a schema that is there measures in it. tare leaves it empty; with
// anything in it, it is refused and left as it is.
func TestKeepsSchema(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, nil)
			s.run(t, "CREATE DATABASE app", "REVOKE ALL ON `tare\\_%`.* FROM tare@'%'",
				"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER ON app.* TO tare@'%'")
			keeps := func() *external {
				e := s.target(t, "user: tare, shared: true, schema: app, keepSchema: true")
				e.env.Self, e.env.Ledger = target.Self, filepath.Join(t.TempDir(), "external")
				t.Cleanup(func() { e.lease.stop() })
				return e
			}
			use := func(inside ...string) error {
				e := keeps()
				if err := errors.Join(e.Check(context.Background())...); err != nil {
					return err
				}
				if _, err := begin(t, e); err != nil {
					return err
				}
				s.run(t, inside...)
				return e.Release(context.Background())
			}
			tables := func() (n int) {
				if err := s.root.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'app'").Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			for range 2 {
				if err := use("CREATE TABLE app.p (i INT PRIMARY KEY) ENGINE=InnoDB", "CREATE TABLE app.c (i INT, FOREIGN KEY (i) REFERENCES app.p (i)) ENGINE=InnoDB"); err != nil || tables() != 0 {
					t.Fatalf("%v, %d tables are left", err, tables())
				}
			}
			s.run(t, "CREATE TABLE app.theirs (i INT)")
			if err := use(); !errors.Is(err, mysqld.ErrForeignSchema) || !strings.Contains(err.Error(), "not empty") || tables() != 1 {
				t.Errorf("%v, %d tables", err, tables())
			}
			if _, err := begin(t, keeps()); !errors.Is(err, mysqld.ErrForeignSchema) || tables() != 1 {
				t.Errorf("without a check: %v, %d tables", err, tables())
			}
			e := s.target(t, "user: tare, shared: true, schema: nowhere, keepSchema: true")
			if err := errors.Join(e.Check(context.Background())...); err == nil || !strings.Contains(err.Error(), "does not exist") {
				t.Errorf("%v", err)
			}
		})
	}
}
