package loop

import (
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

func programOf(t testing.TB, name string, threads int) *workload.Program {
	t.Helper()
	o := workload.Defaults()
	o.Tables, o.Threads = 1, threads
	p, err := workload.Build(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mute is a loop with one connection whose other end says nothing: the test says what
// is answered, and when.
func mute(t *testing.T, p *workload.Program) (*Loop, *connection) {
	t.Helper()
	l, c, _ := muteWith(t, p)
	return l, c
}

// muteWith returns the other end, too.
func muteWith(t *testing.T, p *workload.Program) (l *Loop, c *connection, peer int) {
	t.Helper()
	l, err := newLoop(&Job{Program: p, Connections: 1}, 0, 1, &budget{}, make(chan handover, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pair[1]) })
	c = newConnection(p, 0, 0, p.NewDraws(1, 0))
	c.wire, c.ids = &wire.Conn{FD: pair[0]}, make([]uint32, len(p.Statements))
	l.conns, l.base, l.phase, l.slow = []*connection{c}, time.Now(), measuring, newThreshold()
	return l, c, pair[1]
}

// sentAt says when the statement was sent that waits for its answer, in place of the
// clock.
func (c *connection) sentAt(at int64) {
	if c.step == 0 && c.state == asked {
		if c.first == c.begun { // the first attempt
			c.first = at
		}
		c.begun = at
	}
	c.sent = at
}

// TestPlacesAddUp: every stretch of a transaction is in its place, and all of them are
// what it took: a wait for a connection, an attempt that a deadlock ended, statements,
// and what the loop needed between them.
func TestPlacesAddUp(t *testing.T) {
	p := programOf(t, "oltp_write_only", 1)
	l, c := mute(t, p)
	last := int64(len(p.Statements)) - 1
	l.begin(c, 1000, spentQueued)
	c.sentAt(1400)
	l.answered(c, 1410)
	c.sentAt(1413)
	c.response.Code = codeDeadlock
	l.answered(c, 1500)
	l.answered(c, 1600) // the ROLLBACK
	c.sentAt(1650)
	at := int64(1660)
	l.answered(c, at)
	for i := range last {
		c.sentAt(at + 5)
		at += 5 + 20*(i+1)
		if i == last-1 {
			l.slow.ns.Store(at - 1000) // exactly as long as this one
		}
		l.answered(c, at)
	}
	slow := []int64{5 * last, 400, 0, 250, 10}
	for i := range last {
		slow = append(slow, 20*(i+1))
	}
	want := &Slowest{All: 1, Slow: 1, AllNS: slow, SlowNS: slow}
	if d := cmp.Diff(want, l.window.Slowest); d != "" {
		t.Fatalf("the slow one: -want +got\n%s", d)
	}
	// The next began at once, and is quick; one that ends while it is not known what
	// is slow is not counted.
	quick := func(due int64) {
		c.due = due
		for i := range last + 1 {
			c.sentAt(due + 2 + i)
			l.answered(c, due+3+i)
		}
	}
	quick(5000)
	l.slow.ns.Store(0)
	quick(6000)
	all := slices.Clone(slow)
	all[spentClient] += 2
	for i := range last + 1 {
		all[places+i]++
	}
	want = &Slowest{All: 2, Slow: 1, AllNS: all, SlowNS: slow}
	if d := cmp.Diff(want, l.window.Slowest); d != "" {
		t.Fatalf("and a quick one: -want +got\n%s", d)
	}
	if names := Places(p); len(names) != len(all) || names[spentFailed] != record.SpentFailed || names[len(names)-1] != "commit" {
		t.Errorf("places %v", names)
	}
	sum := newSlowest(len(p.Statements))
	for range 3 {
		sum.Merge(l.window.Slowest)
	}
	if took := int64(3 * (985 + 8)); sum.All != 6 || sum.Slow != 3 || total(sum.AllNS) != took || total(sum.SlowNS) != 3*985 {
		t.Errorf("merged three times: %+v, %d in all", sum, total(sum.AllNS))
	}
	if sum.reset(); total(sum.AllNS)+total(sum.SlowNS)+sum.All+sum.Slow != 0 {
		t.Errorf("%+v is not empty", sum)
	}
}

func total(ns []int64) (sum int64) {
	for _, n := range ns {
		sum += n
	}
	return sum
}

// TestSteps: intervals are what they would be without steps, and what is slow follows
// the window, not the warm-up before it.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		interval time.Duration
		of       int
	}{{0, 1}, {250 * time.Millisecond, 1}, {time.Second, 1}, {2500 * time.Millisecond, 3}, {10 * time.Second, 10}} {
		const loops, each, intervals = 2, 300, 4
		j := &Job{Interval: c.interval, Warmup: c.interval}
		length, of := j.step()
		if of != c.of || length > time.Second {
			t.Errorf("%v: %d steps of %v", c.interval, of, length)
		}
		slow, shown := newThreshold(), []Interval{}
		handed := make(chan handover)
		done := make(chan struct{})
		go func() {
			defer close(done)
			gather(j, loops, handed, slow, func(i Interval) {
				i.Tally = &Tally{Transactions: i.Transactions}
				shown = append(shown, i)
			})
		}()
		for step := 1; step <= of*intervals; step++ {
			for range loops {
				h := handover{loop: &Loop{}, end: int64(step) * int64(length), tally: newTally(0, false), busy: 1}
				for range each {
					h.tally.Transactions++
					took := time.Millisecond
					if time.Duration(h.end) <= j.Warmup {
						took = time.Second
					}
					h.tally.Latency.Record(int64(took))
				}
				handed <- h
			}
		}
		close(handed)
		<-done
		if ns := time.Duration(slow.ns.Load()); ns < time.Millisecond || ns > 2*time.Millisecond {
			t.Errorf("%v: slow is what takes %v", c.interval, ns)
		}
		if want := map[bool]int{true: intervals}[c.interval > 0]; len(shown) != want {
			t.Fatalf("%v: %d intervals shown, want %d", c.interval, len(shown), want)
		}
		for k, i := range shown {
			if i.End != time.Duration(k+1)*c.interval || i.Warmup != (k == 0) || i.Transactions != int64(loops*each*of) || i.Busy != loops {
				t.Errorf("%v: interval %d is %+v with %d transactions", c.interval, k, i, i.Transactions)
			}
		}
	}
}

// scripted is a load against a server of the test's own, which is as quick as the
// machine but for what hold does before the answer to the workload's last statement.
func scripted(t *testing.T, name string, threads int, hold func()) *Job {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := programOf(t, name, threads)
	prepared := uint32(len(p.Statements))
	if p.Explicit {
		prepared-- // BEGIN is not
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go answerOK(c, func(statement uint32) {
				if statement == prepared {
					hold()
				}
			})
		}
	}()
	return &Job{Program: p, Connections: threads, Seed: 1, Interval: 100 * time.Millisecond, Drain: 10 * time.Second,
		connector: func() (*wire.Conn, []uint32, error) {
			var ids []uint32
			for id := range prepared {
				ids = append(ids, id+1)
			}
			c, err := bareConnection(listener.Addr().(*net.TCPAddr).Port)
			return c, ids, err
		}}
}

// answerOK answers every command with OK, until the connection ends.
func answerOK(c net.Conn, before func(statement uint32)) {
	defer c.Close()
	in := make([]byte, 4096)
	for {
		n, err := c.Read(in)
		if err != nil || n == 5 { // COM_QUIT
			return
		}
		if in[4] == 0x17 { // COM_STMT_EXECUTE
			before(uint32(in[5]) | uint32(in[6])<<8)
		}
		if _, err := c.Write([]byte("\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00")); err != nil {
			return
		}
	}
}

// of is a place's share of all, and of the slow transactions.
func (s *Slowest) of(p *workload.Program, name string) (all, slow float64) {
	k := slices.Index(Places(p), name)
	return float64(s.AllNS[k]) / float64(total(s.AllNS)), float64(s.SlowNS[k]) / float64(max(1, total(s.SlowNS)))
}

// TestSlowCommitIsNamed: where one commit in fifty takes long, the slowest
// transactions spend their time there. On a busy machine others may take as long: so
// long is many times what a transaction takes there, and once of five times is enough.
func TestSlowCommitIsNamed(t *testing.T) {
	const attempts, threads = 5, 32
	var said string
	for range attempts {
		var n atomic.Int64
		began := time.Now()
		j := scripted(t, "oltp_write_only", threads, func() {
			if done := n.Add(1); done%50 == 0 {
				mean := time.Since(began) * threads / time.Duration(done)
				time.Sleep(max(2*time.Second, 10*mean))
			}
		})
		j.Events = 1600
		r, err := Run(t.Context(), j, func(Interval) {})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Window.Slowest
		if s.All > j.Events-enoughSeen {
			t.Fatalf("%d transactions of %d are told apart, before it is known what is slow", s.All, j.Events)
		}
		_, slow := s.of(j.Program, "commit")
		said = fmt.Sprintf("%d of %d transactions are slow, commit is %.3f of their time", s.Slow, s.All, slow)
		if t.Log(said); s.Slow > 0 && slow > 0.5 {
			return
		}
	}
	t.Error(said)
}

// TestQueueIsNamed: in an open loop that asks more than one connection can do, waiting
// for it is what takes the time; and where a new one is made for every transaction.
func TestQueueIsNamed(t *testing.T) {
	known := newGate()
	j := scripted(t, "oltp_update_index", 1, known.hold)
	j.Events = 2900 // of 3,000 that fall due at once
	s := pace.Schedule{{Length: 30 * time.Millisecond, From: 1e5, To: 1e5}}
	j.Arrivals = new(pace.Constant(s))
	open, err := Run(t.Context(), j, known.shown)
	if err != nil {
		t.Fatal(err)
	}
	if all, slow := open.Window.Slowest.of(j.Program, record.SpentQueued); open.Window.Slowest.All == 0 || all < 0.5 || slow < 0.5 {
		t.Errorf("of %d transactions and of the slow ones %.3f and %.3f wait for the connection", open.Window.Slowest.All, all, slow)
	}
	known = newGate()
	j = scripted(t, "oltp_update_index", 4, known.hold)
	j.Events = 2000
	j.Program.Options.Reconnect = 1
	renewed, err := Run(t.Context(), j, known.shown)
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := renewed.Window.Slowest.of(j.Program, record.SpentQueued); renewed.Window.Slowest.All == 0 || all < 0.05 {
		t.Errorf("of %d transactions on new connections %.3f waits for them", renewed.Window.Slowest.All, all)
	}
}

// gate holds a server's answers, after as many transactions as it takes to know what
// slow is, until the load's intervals have shown that many: on a busy machine the whole
// load could otherwise end before anything was gathered.
type gate struct {
	answered, seen atomic.Int64
	open           chan struct{}
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) hold() {
	if g.answered.Add(1) > enoughSeen+10 {
		<-g.open
	}
}

func (g *gate) shown(i Interval) {
	if before := g.seen.Load(); before < enoughSeen && g.seen.Add(i.Transactions) >= enoughSeen {
		close(g.open)
	}
}
