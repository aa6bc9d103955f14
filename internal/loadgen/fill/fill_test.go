package fill_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

func options(tables, rows int) workload.Options {
	o := workload.Defaults()
	o.Tables, o.TableSize = tables, rows
	return o
}

// fresh is a new schema of a server.
func fresh(t *testing.T, s *mysqldtest.Server, schema string, local bool) (*wire.Dialer, *wire.Session) {
	t.Helper()
	a := s.Address
	root, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	session, err := root.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DROP SCHEMA IF EXISTS " + schema, "CREATE SCHEMA " + schema, "USE " + schema} {
		if err := session.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { session.Close() })
	a.Schema = schema
	d, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	d.LocalFiles = local
	return d, session
}

func checksums(t *testing.T, s *wire.Session, tables ...string) (sums []string) {
	t.Helper()
	for _, table := range tables {
		rows, err := s.Query(t.Context(), "CHECKSUM TABLE "+table)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, rows[0][1])
	}
	return sums
}

// TestOnServer makes tables on one server of each kind: to make the server takes
// longer than most of it. Every case has schemas of its own.
func TestOnServer(t *testing.T) {
	onServers(t, func(t *testing.T, s *mysqldtest.Server) {
		for name, test := range map[string]func(*testing.T, *mysqldtest.Server){
			"same rows however made": sameRowsHoweverMade, "empty tables are finished once": emptyTablesAreFinishedOnce,
			"cut within a portion": cutWithinAPortion, "ends late": endsLate, "other rows are found": otherRowsAreFound, "table is sysbench's": tableIsSysbenchs,
		} {
			t.Run(name, func(t *testing.T) { test(t, s) })
		}
	})
}

// onServers gives a test a server of each kind.
func onServers(t *testing.T, test func(*testing.T, *mysqldtest.Server)) {
	t.Helper()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			test(t, mysqldtest.Start(t, d, map[string]string{"local_infile": "ON", "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0", "innodb_buffer_pool_size": "512M"}))
		})
	}
}

// sameRowsHoweverMade: any number of workers and generators, either way of
// inserting, and an interrupted attempt that is continued make the same tables.
func sameRowsHoweverMade(t *testing.T, s *mysqldtest.Server) {
	o := options(3, 12345)
	var want []string
	for _, c := range []struct {
		name    string
		workers int
		local   bool
		cut     bool
		runs    int // of generators that are called at one time
	}{{"one worker", 1, true, false, 1}, {"nine workers", 9, true, false, 1}, {"by INSERT, two generators", 2, false, false, 2}, {"interrupted", 2, true, true, 1}} {
		dialer, session := fresh(t, s, "f", c.local)
		j := fill.Job{Tables: o.OLTPTables(7), Dial: dialer.Dial, Workers: c.workers, Verify: true}
		if c.cut {
			interrupt(t, j, 10000)
		}
		var group sync.WaitGroup
		for range c.runs {
			group.Go(func() {
				if err := fill.Run(t.Context(), j); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			})
		}
		group.Wait()
		got := checksums(t, session, "sbtest1", "sbtest2", "sbtest3")
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" || got[0] == got[1] {
			t.Errorf("%s: %v\n%s", c.name, got, diff)
		}
	}
}

// interrupt starts a job and ends it in the middle, once there are more rows than
// so many.
func interrupt(t *testing.T, j fill.Job, rows int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last fill.Progress
	j.Progress = func(p fill.Progress) {
		if last = p; p.Rows > rows {
			cancel()
		}
	}
	if err := fill.Run(ctx, j); !errors.Is(err, context.Canceled) || last.Rows >= last.Of {
		t.Fatalf("interrupted after %d of %d rows: %v", last.Rows, last.Of, err)
	}
}

// endsLate: the server commits or undoes the portions of an interrupted attempt after the next one
// has looked for what is there. The rows are made once, either way of inserting. Two workers that
// wait for the rows of one that is undone have a deadlock.
func endsLate(t *testing.T, s *mysqldtest.Server) {
	for _, c := range []struct {
		local   bool
		workers int
		end     string
	}{{true, 1, "COMMIT"}, {false, 1, "COMMIT"}, {true, 2, "ROLLBACK"}, {false, 2, "ROLLBACK"}} {
		dialer, late := fresh(t, s, fmt.Sprintf("late_%v_%d", c.local, c.workers), c.local)
		observer, err := dialer.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer observer.Close()
		j := fill.Job{Tables: options(1, 5000+c.workers*4000).OLTPTables(7), Dial: dialer.Dial, Workers: c.workers, Verify: true}
		if err := fill.Run(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{
			"CREATE TABLE kept AS SELECT * FROM sbtest1 WHERE id > 5000", "DELETE FROM sbtest1 WHERE id > 5000",
			"BEGIN", "INSERT INTO sbtest1 SELECT * FROM kept",
		} {
			if err := late.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- fill.Run(t.Context(), j) }()
		for waiting := 0; waiting < c.workers; {
			// Not innodb_trx, which is not renewed while it is read all the time.
			rows, err := observer.Query(t.Context(), "SHOW ENGINE INNODB STATUS")
			if err != nil {
				t.Fatal(err)
			}
			waiting = strings.Count(rows[0][2], "LOCK WAIT")
		}
		if err := errors.Join(late.Exec(t.Context(), c.end), <-ended); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// cutWithinAPortion: of a portion whose connection breaks nothing stays, either way of
// inserting, so that the next attempt makes it whole.
func cutWithinAPortion(t *testing.T, s *mysqldtest.Server) {
	for _, local := range []bool{true, false} {
		dialer, session := fresh(t, s, fmt.Sprintf("cut_%v", local), local)
		tables := options(1, 9000).OLTPTables(7)
		whole := tables[0].Make
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tables[0].Make = func(r *workload.Row, unit int64, i int) bool {
			if unit == 2500 {
				cancel()
				time.Sleep(100 * time.Millisecond) // until the connection knows
			}
			return whole(r, unit, i)
		}
		j := fill.Job{Tables: tables, Dial: dialer.Dial, Workers: 1, Verify: true}
		if err := fill.Run(ctx, j); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		awaitAlone(t, session)
		rows, err := session.Query(t.Context(), "SELECT COUNT(*) FROM sbtest1")
		if err != nil || rows[0][0] != "0" {
			t.Errorf("load %v: rows of a broken portion: %v, %v", local, rows, err)
		}
		tables[0].Make = whole
		if err := fill.Run(t.Context(), j); err != nil {
			t.Errorf("load %v: %v", local, err)
		}
	}
}

// awaitAlone waits until the server has ended all other sessions of the schema.
func awaitAlone(t *testing.T, s *wire.Session) {
	t.Helper()
	const others = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()"
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		rows, err := s.Query(t.Context(), others)
		if err != nil {
			t.Fatal(err)
		}
		if rows[0][0] == "0" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s other sessions do not end", rows[0][0])
		}
	}
}

// emptyTablesAreFinishedOnce, not by every worker that comes by.
func emptyTablesAreFinishedOnce(t *testing.T, s *mysqldtest.Server) {
	dialer, _ := fresh(t, s, "e", false)
	o := options(2, 100)
	o.AutoInc = false
	p, err := workload.Build("oltp_insert", o)
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]int{}
	err = fill.Run(t.Context(), fill.Job{Tables: p.Tables(1), Dial: dialer.Dial, Workers: 3, Verify: true,
		Progress: func(p fill.Progress) { steps[p.Table+" "+p.Step]++ }})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"sbtest1 rows": 1, "sbtest1 index": 1, "sbtest2 rows": 1, "sbtest2 index": 1}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

// otherRowsAreFound: rows of another seed, missing and changed rows do not pass.
func otherRowsAreFound(t *testing.T, s *mysqldtest.Server) {
	for name, spoil := range map[string]string{
		"missing": "DELETE FROM sbtest1 WHERE id = 777", "changed": "UPDATE sbtest1 SET k = k + 1 WHERE id = 778",
		"exchanged": "UPDATE sbtest1 SET pad = REVERSE(pad) WHERE id = 5",
	} {
		dialer, session := fresh(t, s, "o", false)
		j := fill.Job{Tables: options(1, 6000).OLTPTables(7), Dial: dialer.Dial, Workers: 2, Verify: true}
		if err := fill.Run(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		if err := session.Exec(t.Context(), spoil); err != nil {
			t.Fatal(err)
		}
		if err := fill.Run(t.Context(), j); !errors.Is(err, fill.ErrOtherRows) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dialer, _ := fresh(t, s, "o", false)
	j := fill.Job{Tables: options(1, 6000).OLTPTables(7), Dial: dialer.Dial, Workers: 2, Verify: true}
	if err := fill.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	j.Tables = options(1, 6000).OLTPTables(8)
	if err := fill.Run(t.Context(), j); !errors.Is(err, fill.ErrOtherRows) {
		t.Errorf("another seed: %v", err)
	}
}

// tableIsSysbenchs: the definition is the one that sysbench makes.
func tableIsSysbenchs(t *testing.T, s *mysqldtest.Server) {
	dialer, session := fresh(t, s, "d", false)
	if err := fill.Run(t.Context(), fill.Job{Tables: options(1, 10).OLTPTables(1), Dial: dialer.Dial, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	ours, err := session.Query(t.Context(), "SHOW CREATE TABLE sbtest1")
	if err != nil {
		t.Fatal(err)
	}
	bySysbench(t, s, session)
	theirs, err := session.Query(t.Context(), "SHOW CREATE TABLE sbtest1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(theirs[0][1], "\n"), strings.Split(ours[0][1], "\n")); diff != "" {
		t.Error(diff)
	}
}
