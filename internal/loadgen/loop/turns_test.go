package loop

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

func twoTurns() interleave.Schedule {
	return interleave.Schedule{
		Slices: interleave.Slices{Guard: time.Millisecond, LeadIn: 30 * time.Millisecond, Slice: 50 * time.Millisecond, Drain: 5 * time.Millisecond, Warmup: 2, Cycles: 6},
		Seed:   3, Round: 1, Cells: 3,
	}
}

// answers serves fixed answers, the first after hold, if that is not nil.
type answers struct {
	port  int
	hold  func()
	taken atomic.Int64  // how long the first took, ns
	next  chan struct{} // closed when the connection that waited for it asks again
}

func newAnswers(t *testing.T, hold func()) *answers {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	a := &answers{port: l.Addr().(*net.TCPAddr).Port, hold: hold, next: make(chan struct{})}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go a.serve(c)
		}
	}()
	return a
}

func (a *answers) serve(c net.Conn) {
	defer c.Close()
	reply, in, held := answer(), make([]byte, 4096), false
	for {
		if n, err := c.Read(in); err != nil || n == 5 { // COM_QUIT
			return
		}
		if held {
			close(a.next)
			held = false
		}
		if a.hold != nil && a.taken.CompareAndSwap(0, 1) {
			began := time.Now()
			a.hold()
			a.taken.Store(int64(time.Since(began)))
			held = true
		}
		if _, err := c.Write(reply); err != nil {
			return
		}
	}
}

func (a *answers) job(t *testing.T, cell int, begin func() (time.Time, error)) *Job {
	o := workload.Defaults()
	o.Threads = 4
	p, err := workload.Build("oltp_point_select", o)
	if err != nil {
		t.Fatal(err)
	}
	return &Job{
		Program: p, Connections: 4, Loops: 2, Seed: 1,
		Turns: &Turns{Schedule: twoTurns(), Cell: cell, Begin: begin},
		connector: func() (*wire.Conn, []uint32, error) {
			c, err := bareConnection(a.port)
			return c, []uint32{1}, err
		},
	}
}

// TestTurns: jobs that take turns measure the lengths that the schedule says, in
// their own time; a turn is one step of the series; what runs in a lead-in is not
// counted; an open loop's due times stand still while it is off.
func TestTurns(t *testing.T) {
	defer Reserve(4)()
	mysqldtest.Attempts(t, 5, func() error { return takesTurns(t) })
}

// takesTurns returns an error where a machine that stood still let no transaction end in a part.
func takesTurns(t *testing.T) (idle error) {
	t.Helper()
	base := time.Now().Add(20 * time.Millisecond)
	begin := func() (time.Time, error) { return base, nil }
	s := twoTurns()
	server := newAnswers(t, nil)
	closed, open := server.job(t, 0, begin), server.job(t, 2, begin)
	rate := pace.Schedule{{Length: time.Duration(s.Turns()) * s.Load(), From: 500, To: 500}}
	open.Arrivals = new(pace.Constant(rate))
	results := make(chan []Interval, 1)
	var second *Result
	go func() {
		var series []Interval
		second, _ = Run(context.Background(), open, func(i Interval) { series = append(series, i) })
		results <- series
	}()
	var series []Interval
	var counted int64
	first, err := Run(context.Background(), closed, func(i Interval) {
		if !i.Warmup {
			counted += i.Transactions
		}
		i.Tally = nil
		series = append(series, i)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Duration(s.Cycles) * s.Load(); first.Self.Watched != want {
		t.Errorf("a quota was watched for %v, want the load of the counted turns, %v", first.Self.Watched, want)
	}
	if first.Length != s.Counted() || first.Window.Transactions != counted {
		t.Errorf("%v with %d transactions, %d in the series", first.Length, first.Window.Transactions, counted)
	}
	if first.Window.Transactions == 0 || first.Tail.Transactions == 0 {
		idle = fmt.Errorf("%d transactions, %d not counted", first.Window.Transactions, first.Tail.Transactions)
	}
	checkSeries(t, series)
	checkSeries(t, <-results)
	if second == nil {
		t.Fatal("the open loop has no result")
	}
	// 6 turns of 80 ms at 500/s, lead-ins included: what a whole round would make due is thrice that and more.
	if due := second.Window.Due + second.Tail.Due; due < 230 || due > 250 {
		t.Errorf("%d arrivals fell due in 480 ms of own time at 500/s", due)
	}
	return idle
}

// TestThrottledInTurns: for how long a quota held the generator up is counted in the job's own
// counted turns, whatever it did in the time of the others.
func TestThrottledInTurns(t *testing.T) {
	dir := t.TempDir()
	group, stat := filepath.Join(dir, "group"), filepath.Join(dir, "cpu.stat")
	throttled := time.Duration(0)
	grow := func(by time.Duration) {
		throttled += by
		if err := os.WriteFile(stat, fmt.Appendf(nil, "throttled_usec %d\n", throttled.Microseconds()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(group, []byte("0::/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	job := newAnswers(t, nil).job(t, 0, nil)
	l, err := newLoop(job, 0, 1, &budget{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if l.own.throttledSoFar == nil {
		t.Fatal("the first loop does not count for the process")
	}
	l.own.throttledSoFar = func() time.Duration { return throttledTime(group, dir) }
	for range twoTurns().Cycles {
		grow(5 * time.Second) // in others' turns
		l.own.begin(0)
		grow(20 * time.Millisecond)
		l.own.end(0)
		l.turns.slices++
	}
	r := result(job, []*Loop{l}, time.Now())
	if want := 6 * 20 * time.Millisecond; r.Self.Throttled != want || r.Self.Watched != 6*80*time.Millisecond {
		t.Errorf("throttled for %v of %v, want %v of 480 ms", r.Self.Throttled, r.Self.Watched, want)
	}
}

func checkSeries(t *testing.T, series []Interval) {
	t.Helper()
	s := twoTurns()
	if len(series) != s.Turns() {
		t.Fatalf("%d steps for %d turns", len(series), s.Turns())
	}
	for i, step := range series {
		length := s.Slice
		if i < s.Warmup {
			length = s.Load()
		}
		if step.Turn != i+1 || step.End != s.Own(i+1) || step.Length != length || step.Warmup != (i < s.Warmup) {
			t.Errorf("step %d: %+v", i, step)
		}
	}
}

// TestOwnTimeStandsStill: an answer that comes some turns later has taken only the
// time in which its job was on.
func TestOwnTimeStandsStill(t *testing.T) {
	server := newAnswers(t, func() { time.Sleep(time.Second) })
	j := server.job(t, 1, func() (time.Time, error) { return time.Now(), nil })
	j.Turns.Schedule.Warmup, j.Turns.Schedule.Cycles = 0, 1000 // until the answer has come, however busy the machine is
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-server.next
		cancel()
	}()
	r, err := Run(ctx, j, func(Interval) {})
	if err != nil {
		t.Fatal(err)
	}
	s := j.Turns.Schedule
	cycle := s.Turn() * time.Duration(s.Cells)
	took := time.Duration(server.taken.Load())
	// In any time as long as that lie so many turns at most, whole or in part.
	most := (took/cycle + 3) * s.Load()
	longest := time.Duration(max(r.Window.Latency.Max(), r.Tail.Latency.Max()))
	if took < time.Second || longest == 0 || longest > most || most > took {
		t.Errorf("an answer after %v took %v of own time; %v are possible", took, longest, most)
	}
}

// TestTurnsThatDoNotBegin: where others fail before the start, nothing is left.
func TestTurnsThatDoNotBegin(t *testing.T) {
	server := newAnswers(t, nil)
	j := server.job(t, 0, func() (time.Time, error) { return time.Time{}, context.Canceled })
	if r, err := Run(context.Background(), j, func(Interval) {}); err == nil || r != nil {
		t.Errorf("result %v, error %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.Turns.Begin = func() (time.Time, error) { cancel(); return time.Now().Add(time.Hour), nil }
	r, err := Run(ctx, j, func(Interval) {})
	if err != nil || r.Window.Transactions != 0 || r.Length != 0 {
		t.Errorf("a load that was ended before its first turn: %+v, %v", r, err)
	}
}

// alone is a loop of one server that takes turns with no other.
func alone(t *testing.T, s interleave.Slices) *Loop {
	t.Helper()
	j := newAnswers(t, nil).job(t, 0, nil)
	j.Turns.Schedule = interleave.Schedule{Slices: s, Cells: 1}
	l, err := newLoop(j, 0, 1, &budget{}, make(chan handover, 8))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}

// TestWaitsInEveryTurn: a loop whose turn is not its first sleeps until something
// happens. One that polls takes the CPU from servers with a small weight.
func TestWaitsInEveryTurn(t *testing.T) {
	l := alone(t, interleave.Slices{LeadIn: time.Hour, Slice: time.Hour, Cycles: 3})
	for turn := range 3 {
		l.base = time.Now().Add(-time.Duration(turn)*l.job.Turns.Schedule.Turn() - time.Minute)
		l.beginTurn()
		if wait := time.Duration(l.patience()); wait < time.Second/2 {
			t.Errorf("turn %d: it waits for events for %v", turn, wait)
		}
		l.endTurn()
	}
}

// TestWarmupIsNotUncounted: what ended after the turns of the warm-up is in no counter that is
// read from the first counted turn on.
func TestWarmupIsNotUncounted(t *testing.T) {
	l := alone(t, interleave.Slices{LeadIn: time.Hour, Slice: time.Hour, Warmup: 1, Cycles: 2})
	for turn, want := range []int64{1, 0, 1} { // of the warm-up, of the first counted turn and of the second
		l.base = time.Now().Add(-time.Duration(turn)*l.job.Turns.Schedule.Turn() - time.Minute)
		l.beginTurn()
		if turn != 1 {
			l.tail.Transactions++ // the last answers of a turn
		}
		if got := l.tail.Transactions; got != want {
			t.Errorf("turn %d: %d transactions are not counted, want %d", turn, got, want)
		}
		l.turns.part, l.window = off, l.tail
	}
}

// TestLateStartOfTurns: a loop that begins its first turn late says by how much.
func TestLateStartOfTurns(t *testing.T) {
	l := alone(t, interleave.Slices{LeadIn: time.Hour, Slice: time.Hour, Cycles: 1})
	l.base = time.Now().Add(-time.Minute)
	l.beginTurn()
	if late := time.Duration(l.late); late < time.Minute {
		t.Errorf("a loop that began a minute late says %v", late)
	}
}
