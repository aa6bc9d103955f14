package loop_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

// perTransaction is how many statements of each class sysbench 1.0 sends for a
// transaction with its default options (its oltp_*.lua, counted by hand).
var perTransaction = map[string][3]int64{
	"oltp_read_only":        {14, 0, 2},
	"oltp_read_write":       {14, 4, 2},
	"oltp_point_select":     {1, 0, 0},
	"oltp_write_only":       {0, 4, 2},
	"oltp_insert":           {0, 1, 0},
	"oltp_delete":           {0, 1, 0},
	"oltp_update_index":     {0, 1, 0},
	"oltp_update_non_index": {0, 1, 0},
	"select_random_points":  {1, 0, 0},
	"select_random_ranges":  {1, 0, 0},
}

// workloads runs every workload, prepared and as text, against a real server:
// no statement fails, and each transaction has the statements it should have.
func workloads(t *testing.T, b *bench) {
	b.prepare(t, small(2, 2000, 1))
	for name, want := range perTransaction {
		for _, text := range []bool{false, true} {
			o := small(2, 2000, 3)
			if name == "select_random_points" || name == "select_random_ranges" {
				o.Tables = 1
			}
			o.TextProtocol = text
			j := b.job(t, name, o)
			j.Events = 60
			r := run(t, j)
			// Deadlocks are normal where connections write the same rows.
			failed := r.Window.ErrorCount() - r.Window.Errors[1213]
			w := r.Window
			if failed != 0 || w.Transactions != 60 || r.Unfinished != 0 {
				t.Errorf("%s, text %v: %d of 60 transactions, errors %v, %d unfinished", name, text, w.Transactions, w.Errors, r.Unfinished)
			}
			if got := [3]int64{w.Reads, w.Writes, w.Other}; len(w.Errors) == 0 && got != [3]int64{60 * want[0], 60 * want[1], 60 * want[2]} {
				t.Errorf("%s, text %v: %v statements in 60 transactions of %v", name, text, got, want)
			}
			if n := w.Latency.Count(); n != 60 {
				t.Errorf("%s: %d latencies", name, n)
			}
		}
	}
}

func mixes(t *testing.T, b *bench) {
	b.prepare(t, small(2, 2000, 1))
	for name, reads := range map[string]float64{"mix_80_20": 0.8, "mix_50_50": 0.5, "mix_20_80": 0.2, "oltp_read_write_pct": 0.3} {
		o := small(2, 2000, 4)
		o.ReadPercent, o.SkipTrx = 30, true
		j := b.job(t, name, o)
		j.Events = 4000
		w := run(t, j).Window
		// Five standard errors of a share of 4,000 draws.
		if share := float64(w.Reads) / float64(w.Reads+w.Writes); share < reads-0.04 || share > reads+0.04 || w.ErrorCount() != 0 {
			t.Errorf("%s: share of reads %v, errors %v", name, share, w.Errors)
		}
	}
}

func bulkInsert(t *testing.T, b *bench) {
	d, err := wire.NewDialer(b.address)
	if err != nil {
		t.Fatal(err)
	}
	j := b.job(t, "bulk_insert", small(1, 1, 2))
	if err := fill.Run(t.Context(), fill.Job{Tables: j.Program.Tables(1), Dial: d.Dial}); err != nil {
		t.Fatal(err)
	}
	j.Events = 3
	r := run(t, j)
	rows, err := b.root(t).Query(t.Context(), "SELECT (SELECT COUNT(*) FROM sbtest.sbtest1) + (SELECT COUNT(*) FROM sbtest.sbtest2)")
	if err != nil {
		t.Fatal(err)
	}
	if r.Window.ErrorCount() != 0 || rows[0][0] != "98304" || r.Window.Transactions != 98304 {
		t.Errorf("%d events, %s rows, errors %v", r.Window.Transactions, rows[0][0], r.Window.Errors)
	}
}

// hotPathDoesNotAllocate counts the allocations of the whole process while the
// load runs: what is left is the start and the end.
func hotPathDoesNotAllocate(t *testing.T, b *bench) {
	b.prepare(t, small(2, 2000, 1))
	for _, name := range []string{"oltp_read_write", "oltp_point_select"} {
		extra, n := b.mallocs(t, name, small(2, 2000, 4), 2000)
		// Errors are counted in a map, and a deadlock is possible; some dozens are
		// the runtime's own. One for each statement would be 2,000 and more.
		if extra > max(100, n/100) {
			t.Errorf("%s: %d allocations more for %d statements more", name, extra, n)
		}
	}
}

// mallocs is by how much the allocations, and the statements, of a load become
// more with so many more events. The allocations of handing over are not among them: a loop
// hands over every second, and how long so many events take depends on the machine.
func (b *bench) mallocs(t *testing.T, name string, o workload.Options, more int64) (extra, statements int64) {
	t.Helper()
	return mallocs(t, func() *loop.Job { return b.job(t, name, o) }, more)
}

func mallocs(t *testing.T, job func() *loop.Job, more int64) (extra, statements int64) {
	t.Helper()
	const ofHandover = 20 // at most
	count := func(events int64) (n, statements int64) {
		j := job()
		j.Events = events
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := run(t, j)
		runtime.ReadMemStats(&after)
		return int64(after.Mallocs-before.Mallocs) - ofHandover*int64(r.Length/time.Second), r.Window.Queries()
	}
	count(10)
	few, n := count(50)
	many, m := count(50 + more)
	return many - few, m - n
}

// window: warm-up is not counted, the window is as long as asked, the series
// adds up to more than the window and nothing is left unfinished.
func window(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	mysqldtest.Attempts(t, 5, func() error { return oneWindow(t, b) })
}

// oneWindow returns an error if the machine let no transaction end in the warm-up.
func oneWindow(t *testing.T, b *bench) error {
	t.Helper()
	j := b.job(t, "oltp_point_select", small(1, 1000, 4))
	j.Warmup, j.Time, j.Interval = 500*time.Millisecond, time.Second, 250*time.Millisecond
	var warm, measured int64
	shown := 0
	r := start(t, j, func(i loop.Interval) {
		shown++
		if i.Warmup {
			warm += i.Transactions
		} else {
			measured += i.Transactions
		}
	})()
	if shown != 6 || r.Length != time.Second || r.Unfinished != 0 {
		t.Errorf("%d intervals, window %v, %d unfinished", shown, r.Length, r.Unfinished)
	}
	if measured != r.Window.Transactions {
		t.Errorf("%d in the intervals after the warm-up, %d in the window", measured, r.Window.Transactions)
	}
	if warm == 0 {
		return errors.New("no transaction in the warm-up")
	}
	return nil
}

// generatorsDoNotMeet: the connections of a second generator insert other
// numbers, and fill other tables, than those of the first.
func generatorsDoNotMeet(t *testing.T, b *bench) {
	const generators, connections = 2, 2
	o := small(1, 1000, generators*connections)
	o.AutoInc = false
	for _, name := range []string{"oltp_insert", "bulk_insert"} {
		for g := range generators {
			j := b.job(t, name, o)
			if g == 0 {
				if err := fill.Run(t.Context(), fill.Job{Tables: j.Program.Tables(1), Dial: j.Dial}); err != nil {
					t.Fatal(err)
				}
			}
			j.First, j.Connections, j.Events = g*connections, connections, 4
			if w := run(t, j).Window; w.ErrorCount() != 0 || w.Transactions < 4 {
				t.Errorf("%s, generator %d: %d transactions, errors %v", name, g, w.Transactions, w.Errors)
			}
		}
		b.exec(t, "DROP TABLE sbtest.sbtest1")
	}
}
