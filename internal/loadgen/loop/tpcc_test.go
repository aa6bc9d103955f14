//go:build !race

// TPC-C on real servers. Not under the race detector, which would watch millions of rows being
// made: the loop and the workers are the same for every workload. The Makefile runs it in "filled".
package loop_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

func scaled(scale, threads int) workload.Options {
	o := workload.Defaults()
	o.Scale, o.Threads = scale, threads
	return o
}

// prepareTPCC makes the data without reading them back.
func (b *bench) prepareTPCC(t testing.TB, o workload.Options) {
	t.Helper()
	p, err := workload.Build("tpcc", o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.NewDialer(b.address)
	if err != nil {
		t.Fatal(err)
	}
	d.LocalFiles = true
	if err := fill.Run(t.Context(), fill.Job{Tables: p.Tables(1), Dial: d.Dial, Workers: 2}); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) check(t testing.TB, j *loop.Job) {
	t.Helper()
	if err := fill.Check(t.Context(), j.Dial, j.Program.Conditions); err != nil {
		t.Error(err)
	}
}

// TestTPCC: connections beside each other, prepared and as text, in the mix that
// the clauses want; afterwards and in the middle of it the data are consistent,
// and every transaction that was reported is in them.
func TestTPCC(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) { tpcc(t, newBench(t, d)) })
	}
}

func tpcc(t *testing.T, b *bench) {
	b.prepareTPCC(t, scaled(2, 1))
	var done [6]int64
	for _, text := range []bool{false, true} {
		o := scaled(2, 8)
		o.TextProtocol = text
		j := b.job(t, "tpcc", o)
		j.Events = 3000
		wait := start(t, j, func(loop.Interval) {})
		if text { // a check takes seconds: once in the middle is enough
			b.check(t, j)
		}
		r := wait()
		checkTPCC(t, r)
		for i, k := range r.Window.Kinds {
			done[i] += k.Count()
		}
		b.check(t, j)
	}
	mixIsRight(t, done)
	b.isDone(t, done)
	noAllocations(t, b)
	missesARow(t, b)
}

func checkTPCC(t *testing.T, r *loop.Result) {
	t.Helper()
	w := r.Window
	// Deadlocks are part of TPC-C, and nothing else is. One that the server does not see
	// ends when a lock has been waited for too long (seen on MariaDB 10.11, once).
	if failed := w.ErrorCount() - w.Errors[1213] - w.Errors[1205]; failed != 0 || w.Transactions != 3000 || r.Unfinished != 0 {
		t.Errorf("%d of 3000 transactions, errors %v, %d unfinished", w.Transactions, w.Errors, r.Unfinished)
	}
}

// mixIsRight compares shares with clause 5.2.3, to five standard errors.
func mixIsRight(t *testing.T, done [6]int64) {
	t.Helper()
	var all float64
	for _, n := range done {
		all += float64(n)
	}
	for i, want := range []float64{0.45 * 0.99, 0.45 * 0.01, 0.43, 0.04, 0.04, 0.04} {
		if got := float64(done[i]) / all; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/all) {
			t.Errorf("share of kind %d is %v, want %v of %v", i, got, want, all)
		}
	}
}

// isDone holds what the engine counted against what the server has.
func (b *bench) isDone(t *testing.T, done [6]int64) {
	t.Helper()
	s := b.root(t)
	for sql, want := range map[string]int64{
		"SELECT COUNT(*) - 60000 FROM sbtest.orders":             done[0],
		"SELECT COUNT(*) - 60000 FROM sbtest.history":            done[2],
		"SELECT SUM(c_delivery_cnt) FROM sbtest.customer":        10 * done[4],
		"SELECT SUM(c_payment_cnt) - 60000 FROM sbtest.customer": done[2],
		"SELECT SUM(s_order_cnt) - (SELECT COUNT(*) FROM sbtest.order_line WHERE ol_quantity > 0 AND ol_o_id > 3000) FROM sbtest.stock":                                                                                                                                                0,
		"SELECT SUM(s_ytd) - (SELECT SUM(ol_quantity) FROM sbtest.order_line WHERE ol_o_id > 3000) FROM sbtest.stock":                                                                                                                                                                  0,
		"SELECT SUM(s_remote_cnt) - (SELECT COUNT(*) FROM sbtest.order_line WHERE ol_o_id > 3000 AND ol_w_id <> ol_supply_w_id) FROM sbtest.stock":                                                                                                                                     0,
		"SELECT COUNT(*) FROM sbtest.stock WHERE s_quantity < 10 OR s_quantity > 100":                                                                                                                                                                                                  0,
		"SELECT COUNT(*) FROM sbtest.order_line JOIN sbtest.item ON i_id = ol_i_id WHERE ol_o_id > 3000 AND ol_amount <> ol_quantity * i_price":                                                                                                                                        0,
		"SELECT COUNT(*) FROM sbtest.order_line JOIN sbtest.stock ON s_i_id = ol_i_id AND s_w_id = ol_supply_w_id WHERE ol_o_id > 3000 AND ol_dist_info <> ELT(ol_d_id, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10)": 0,
		"SELECT COUNT(*) FROM sbtest.orders WHERE o_id > 3000 AND o_all_local = EXISTS (SELECT 1 FROM sbtest.order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_supply_w_id <> ol_w_id)":                                                                 0,
		"SELECT COUNT(*) FROM sbtest.history JOIN sbtest.warehouse ON w_id = h_w_id JOIN sbtest.district ON d_w_id = h_w_id AND d_id = h_d_id WHERE h_id > 60000 AND h_data <> CONCAT(w_name, '    ', d_name)":                                                                         0,
	} {
		rows, err := s.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(rows[0][0], ".00"); got != strconv.FormatInt(want, 10) {
			t.Errorf("%s: %s, want %d", sql, got, want)
		}
	}
	// A payment of a customer with bad credit is noted, the newest first.
	rows, err := s.Query(t.Context(), "SELECT COUNT(*), SUM(c_data LIKE CONCAT(c_id, ' ', c_d_id, ' ', c_w_id, ' %') AND LENGTH(c_data) BETWEEN 300 AND 500) FROM sbtest.customer WHERE c_credit = 'BC' AND c_payment_cnt > 1")
	if err != nil {
		t.Fatal(err)
	}
	if rows[0][0] == "0" || rows[0][0] != rows[0][1] {
		t.Errorf("%s customers with bad credit have paid, %s have a note of it", rows[0][0], rows[0][1])
	}
}

// noAllocations counts them as hotPathDoesNotAllocate does.
func noAllocations(t *testing.T, b *bench) {
	t.Helper()
	for _, text := range []bool{false, true} {
		o := scaled(2, 4)
		o.TextProtocol = text
		if extra, n := b.mallocs(t, "tpcc", o, 1000); extra > n/100 {
			t.Errorf("text %v: %d allocations more for %d statements more", text, extra, n)
		}
	}
}

// missesARow: data that are not whole are an error with a code, and the load goes
// on, as far as the data allow.
func missesARow(t *testing.T, b *bench) {
	t.Helper()
	b.exec(t, "DELETE FROM sbtest.warehouse")
	p, enough := startUntil(t, b.job(t, "tpcc", scaled(2, 2)))
	// A payment begins with the warehouse, so none can be done: each is tried again.
	p.await(t, "a missing row", func(loop.Interval) bool { return p.errors[1329] > 0 })
	if w := enough().Window; w.Errors[1329] == 0 || w.Kinds[0].Count()+w.Kinds[2].Count() != 0 {
		t.Errorf("errors %v, %d new orders, %d payments", w.Errors, w.Kinds[0].Count(), w.Kinds[2].Count())
	}
}
