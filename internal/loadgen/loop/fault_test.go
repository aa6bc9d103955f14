package loop_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

func killedConnections(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	p, enough := startUntil(t, b.job(t, "oltp_read_write", small(1, 1000, 4)))
	p.served(t)
	first := b.sessions(t, 4, nil)
	for _, id := range first {
		b.exec(t, "KILL "+id)
	}
	b.sessions(t, 4, first)
	p.await(t, "transactions of all", func(i loop.Interval) bool { return p.reconnects >= 4 && i.Transactions > 0 })
	r := enough()
	// Both are the client's word for it: broken off, or the server's last one
	// (1927 connection was killed, MariaDB; 1053 and 1317 of a running statement).
	lost := r.Window.ErrorCount() - r.Window.Errors[1213]
	if r.Window.Reconnects != 4 || lost < 4 {
		t.Errorf("reconnects %d, errors %v", r.Window.Reconnects, r.Window.Errors)
	}
}

// sessions waits until the load has so many connections besides those known, and
// returns their numbers.
func (b *bench) sessions(t *testing.T, n int, known []string) []string {
	t.Helper()
	s := b.root(t)
	defer s.Close()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		rows, err := s.Query(t.Context(), "SELECT id FROM information_schema.processlist WHERE user = 'app'")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range rows {
			if !slices.Contains(known, r[0]) {
				ids = append(ids, r[0])
			}
		}
		if len(ids) == n {
			return ids
		}
		if time.Now().After(deadline) {
			t.Fatalf("the load has connections %v besides %v, not %d", ids, known, n)
		}
	}
}

// renewedConnections: with --reconnect=2 the server sees a connection for every two
// transactions, nobody calls that a fault, and a transaction that waited for its
// connection took longer than the statement alone.
func renewedConnections(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	o := small(1, 1000, 2)
	o.Reconnect = 2
	before := b.connections(t)
	j := b.job(t, "oltp_point_select", o)
	j.Events = 400
	r := run(t, j)
	made := b.connections(t) - before
	done := r.Window.Transactions
	if made < done/2 || done != j.Events || r.Window.Reconnects != 0 || r.Window.ErrorCount() != 0 {
		t.Errorf("%d connections for %d transactions, %d reconnects, errors %v", made, done, r.Window.Reconnects, r.Window.Errors)
	}
	if half, all := r.Window.Statements[0].Percentile(50), r.Window.Latency.Percentile(90); all < 2*half {
		t.Errorf("a transaction takes %d ns, its statement %d: the connection is not in it", all, half)
	}
}

// connections are how many the server has had.
func (b *bench) connections(t *testing.T) int64 {
	t.Helper()
	rows, err := b.root(t).Query(t.Context(), "SHOW GLOBAL STATUS LIKE 'Connections'")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(rows[0][1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func restart(t *testing.T, b *bench) {
	d := mysqldtest.Flavour(t, map[bool]string{true: "mysql", false: "mariadb"}[b.mysql])
	b.prepare(t, small(1, 1000, 1))
	p, enough := startUntil(t, b.job(t, "oltp_point_select", small(1, 1000, 4)))
	p.served(t)
	begun := time.Now()
	b.Stop(t)
	down := time.Now()
	time.Sleep(500 * time.Millisecond)
	mysqldtest.Run(t, d, b.Options)
	answers := time.Now()
	// Not until all four are back: one may serve while another waits for its next attempt.
	p.await(t, "transactions of all", func(i loop.Interval) bool { return p.reconnects >= 4 && i.Transactions > 0 })
	r := enough()
	if len(r.Outages) == 0 || r.Window.Reconnects < 4 || r.Window.ErrorCount() == 0 {
		t.Fatalf("outages %v, reconnects %d, errors %v", r.Outages, r.Window.Reconnects, r.Window.Errors)
	}
	// The outage began while the server was being stopped and ended when it was
	// up again. By how much later it is noticed depends on the machine.
	o := longest(r.Outages)
	failed, served := r.Started.Add(o.FirstFailure), r.Started.Add(o.FirstSuccess)
	if failed.Before(begun.Add(-50*time.Millisecond)) || failed.After(down.Add(time.Minute)) || served.Before(down) || served.After(answers.Add(time.Minute)) {
		t.Errorf("out of service from %v to %v; stopping %v to %v, up %v", failed, served, begun, down, answers)
	}
}

func longest(outages []loop.Outage) (most loop.Outage) {
	for _, o := range outages {
		if o.FirstSuccess-o.FirstFailure >= most.FirstSuccess-most.FirstFailure {
			most = o
		}
	}
	return most
}

func readOnlyServer(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	p, enough := startUntil(t, b.job(t, "oltp_update_index", small(1, 1000, 4)))
	p.served(t)
	begun := time.Now()
	b.exec(t, "SET GLOBAL read_only = 1")
	defer b.exec(t, "SET GLOBAL read_only = 0") // other cases share the server
	// A whole interval without service after one that had errors only: the outage is longer.
	refused := false
	p.await(t, "errors only, twice", func(i loop.Interval) bool {
		again := refused && i.Transactions == 0 && p.errors[1290] >= 8
		refused = i.Transactions == 0 && i.Errors[1290] > 0
		return again
	})
	b.exec(t, "SET GLOBAL read_only = 0")
	held := time.Since(begun) // a second, and what a busy machine adds
	p.served(t)
	r := enough()
	// Back-off: four connections whose pauses grow to 200 ms do not send
	// thousands of statements in a second.
	if n := r.Window.Errors[1290]; n < 8 || n > 200*int64(1+held/(2*time.Second)) {
		t.Errorf("error 1290 %d times in %v, errors %v", n, held, r.Window.Errors)
	}
	o := longest(r.Outages)
	if gap := o.FirstSuccess - o.FirstFailure; gap < 500*time.Millisecond || gap > held+time.Minute {
		t.Errorf("without service for %v of %v", gap, held)
	}
}

func deadlocksAndLockWaits(t *testing.T, b *bench) {
	b.prepare(t, small(1, 20, 1))
	p, enough := startUntil(t, b.job(t, "oltp_write_only", small(1, 20, 16)))
	p.served(t)
	p.await(t, "a deadlock", func(loop.Interval) bool { return p.errors[1213] > 0 })
	r := enough()
	if r.Window.Errors[1213] == 0 || r.Window.Transactions == 0 || r.Window.Ignored != r.Window.Errors[1213]+r.Window.Errors[1205] {
		t.Errorf("%d transactions, %d ignored, errors %v", r.Window.Transactions, r.Window.Ignored, r.Window.Errors)
	}
	holder := b.root(t)
	for _, sql := range []string{"BEGIN", "SELECT * FROM sbtest.sbtest1 FOR UPDATE"} {
		if err := holder.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	p, enough = startUntil(t, b.job(t, "oltp_update_index", small(1, 20, 2)))
	p.await(t, "two lock wait timeouts", func(loop.Interval) bool { return p.errors[1205] >= 2 })
	r = enough()
	if r.Window.Errors[1205] < 2 || r.Window.Transactions != 0 {
		t.Errorf("%d transactions of a locked table, errors %v", r.Window.Transactions, r.Window.Errors)
	}
}

func tooManyConnections(t *testing.T, b *bench) {
	b.prepare(t, small(1, 100, 1))
	_, err := loop.Run(t.Context(), b.job(t, "oltp_point_select", small(1, 100, 60)), func(loop.Interval) {})
	var refused *wire.ServerError
	if !errors.As(err, &refused) || refused.Code != 1040 {
		t.Errorf("60 connections to a server that takes 30: %v", err)
	}
	b.sessions(t, 0, nil) // the server counts a connection until it has seen its end
	p, enough := startUntil(t, b.job(t, "oltp_point_select", small(1, 100, 4)))
	p.served(t)
	ids, s := b.sessions(t, 4, nil), b.root(t)
	// Make the server smaller than what it has (MariaDB: not below 10), then
	// end one of the load's.
	for range 8 {
		dial(t, b.address)
	}
	for _, sql := range []string{"SET GLOBAL max_connections = 1", "KILL " + ids[0]} {
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Error(err)
		}
	}
	p.await(t, "a connection refused", func(loop.Interval) bool { return p.errors[1040] > 0 })
	if err := s.Exec(t.Context(), "SET GLOBAL max_connections = 50"); err != nil {
		t.Error(err)
	}
	p.await(t, "transactions of all", func(i loop.Interval) bool { return p.reconnects > 0 && i.Transactions > 0 })
	r := enough()
	if r.Window.Errors[1040] == 0 || r.Window.Reconnects != 1 {
		t.Errorf("errors %v, %d reconnects", r.Window.Errors, r.Window.Reconnects)
	}
}

func packetTooLarge(t *testing.T, b *bench) {
	b.exec(t, "CREATE TABLE sbtest.sbtest1 (id INT PRIMARY KEY, k INT)")
	p, enough := startUntil(t, b.job(t, "bulk_insert", small(1, 1, 1)))
	p.await(t, "a refused packet", func(loop.Interval) bool { return p.errors[1153]+p.errors[2013] > 0 })
	r := enough()
	if r.Window.Errors[1153] == 0 && r.Window.Errors[2013] == 0 || r.Window.Transactions != 0 {
		t.Errorf("%d rows, errors %v", r.Window.Transactions, r.Window.Errors)
	}
}

// lastOnesAreDone: the transactions that are under way when the last one has begun are done
// too, after a lock wait timeout and after a wait for a new connection.
func lastOnesAreDone(t *testing.T, b *bench) {
	b.prepare(t, small(1, 20, 1))
	o := small(1, 20, 2)
	o.Reconnect = 1
	for seed := range uint64(20) {
		b.doesAll(t, "oltp_point_select", o, 3, seed)
	}
	holder := b.root(t)
	for seed := range uint64(8) {
		for _, sql := range []string{"BEGIN", "SELECT * FROM sbtest.sbtest1 WHERE id = 10 FOR UPDATE"} {
			if err := holder.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		b.doesAll(t, "oltp_update_index", small(1, 20, 2), 2, seed)
		if err := holder.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// doesAll runs a load of so many transactions.
func (b *bench) doesAll(t *testing.T, name string, o workload.Options, events int64, seed uint64) {
	t.Helper()
	j := b.job(t, name, o)
	j.Events, j.Seed = events, seed
	if r := run(t, j); r.Window.Transactions != events || r.Unfinished != 0 {
		t.Errorf("%s, seed %d: %d of %d transactions, errors %v, %d unfinished", name, seed, r.Window.Transactions, events, r.Window.Errors, r.Unfinished)
	}
}

func stopAtError(t *testing.T, b *bench) {
	b.prepare(t, small(1, 100, 1))
	j := b.job(t, "oltp_update_index", small(1, 100, 2))
	j.Time, j.Faults.Stop = time.Hour, true // it stops long before
	b.exec(t, "SET GLOBAL read_only = 1")
	defer b.exec(t, "SET GLOBAL read_only = 0")
	_, err := loop.Run(t.Context(), j, func(loop.Interval) {})
	var refused *wire.ServerError
	if !errors.As(err, &refused) || refused.Code != 1290 {
		t.Error(err)
	}
}

// stoppedServer: the server stands still for a second in the middle of an open
// loop of 4 s. Of the arrivals a quarter fall into it and wait up to 1 s, evenly
// spread; the longest wait is the second at least, and 1 % of all wait for 0.96 s or longer.
// In the closed loop the loss shows in the line of that second.
func stoppedServer(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	mysqldtest.Attempts(t, 5, func() error { return stoppedInOpenLoop(t, b) })
	mysqldtest.Attempts(t, 5, func() error { return stoppedInClosedLoop(t, b) })
}

// stoppedInOpenLoop returns what else than this stop may have changed.
func stoppedInOpenLoop(t *testing.T, b *bench) error {
	t.Helper()
	j := b.job(t, "oltp_point_select", small(1, 1000, 8))
	const rate = 500
	s := pace.Schedule{{Length: time.Minute, From: rate, To: rate}}
	j.Arrivals = new(pace.Constant(s))
	j.Time, j.Interval = 4*time.Second, time.Second
	gone := make(chan struct{})
	p := progress{ended: gone}
	began := time.Now()
	wait := startIn(t.Context(), t, j, gone, p.show)
	if err := p.serves(t); err != nil {
		return err
	}
	held := freeze(t, b.PID)
	r := wait()
	if n := r.Window.Due; n < 4*rate-2 || n > 4*rate+2 || r.Window.Transactions+r.Window.Unsent+r.Tail.Transactions+int64(r.Unfinished) < n-8 {
		t.Errorf("%d due, %d done, %d unsent, %d after the end", n, r.Window.Transactions, r.Window.Unsent, r.Tail.Transactions)
	}
	p99, slowest := time.Duration(r.Window.Latency.Percentile(99)), time.Duration(r.Window.Latency.Max())
	if all := time.Since(began); slowest > all {
		t.Errorf("a transaction took %v of a load of %v", slowest, all)
	}
	// Of n arrivals the slowest hundredth fell due in the first hundredth of the
	// run's length after the stop began. What a busy machine adds is the time
	// until the queue is empty again, which has no limit.
	const hundredth = 40 * time.Millisecond
	if p99 < held-hundredth-60*time.Millisecond || slowest < held-60*time.Millisecond {
		return fmt.Errorf("held for %v: p99 %v (expected: %v less), longest %v", held, p99, hundredth, slowest)
	}
	return nil
}

// stoppedInClosedLoop returns what else than this stop may have changed.
func stoppedInClosedLoop(t *testing.T, b *bench) error {
	t.Helper()
	j := b.job(t, "oltp_point_select", small(1, 1000, 8))
	j.Time, j.Interval = 4*time.Second, 500*time.Millisecond
	var series []int64
	gone := make(chan struct{})
	p := progress{ended: gone}
	wait := startIn(t.Context(), t, j, gone, func(i loop.Interval) {
		series = append(series, i.Transactions)
		p.show(i)
	})
	if err := p.serves(t); err != nil {
		return err
	}
	held := freeze(t, b.PID)
	r := wait()
	empty := 0
	for _, n := range series {
		if n == 0 {
			empty++
		}
	}
	if len(series) != 8 {
		t.Errorf("series %v", series)
	}
	// How many intervals more a busy machine takes to answer again has no limit.
	slowest := time.Duration(r.Window.Latency.Max())
	if empty < int(held/j.Interval)-1 || slowest < 990*time.Millisecond {
		return fmt.Errorf("held for %v: series %v, longest latency %v", held, series, slowest)
	}
	return nil
}

// freeze stops a process for a second and returns how long it was stopped at least: the
// test itself may have had to wait for a CPU.
func freeze(t *testing.T, pid int) (least time.Duration) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	time.Sleep(time.Second)
	continued := time.Now()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	return continued.Sub(stopped)
}

// arrivalsOutnumberTheServer: far more arrivals than can be served are counted
// and wait; nothing aborts, and nothing is lost without a word.
func arrivalsOutnumberTheServer(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	j := b.job(t, "oltp_read_only", small(1, 1000, 2))
	s := pace.Schedule{{Length: time.Minute, From: 500000, To: 500000}}
	j.Arrivals = new(pace.Poisson(s, 1))
	j.Time = time.Second
	// A server that other work keeps from its processors may have answered nothing by then.
	mysqldtest.Attempts(t, 5, func() error { return outnumber(t, run(t, j).Window) })
}

func outnumber(t *testing.T, w *loop.Tally) error {
	t.Helper()
	if w.Due < 450000 || w.Unsent < 400000 {
		t.Errorf("%d due, %d unsent, %d done", w.Due, w.Unsent, w.Transactions)
	}
	if diff := w.Due - w.Unsent - w.Transactions; diff < 0 || diff > 2 {
		t.Errorf("due %d = unsent %d + done %d + %d", w.Due, w.Unsent, w.Transactions, diff)
	}
	if w.Transactions == 0 {
		return fmt.Errorf("none of %d that were due is done", w.Due)
	}
	return nil
}
