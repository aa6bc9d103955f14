package loop

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// atRate are arrivals at a constant rate, for so long.
func atRate(rate float64, length time.Duration) *pace.Arrivals {
	return new(pace.Constant(pace.Schedule{{Length: length, From: rate, To: rate}}))
}

// holdSecond holds the second answer of a scripted load until release is called.
func holdSecond() (hold, release func()) {
	var n atomic.Int64
	held := make(chan bool)
	return func() {
		if n.Add(1) == 2 {
			<-held
		}
	}, func() { close(held) }
}

// TestEventsEndTheLoad: as many transactions as asked for are done, and the window ends with the
// last of them.
func TestEventsEndTheLoad(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      func(*Job)
		threads int
		done    int64
		due     int64
	}{
		{"no time to drain", func(j *Job) { j.Events, j.Drain = 100, 0 }, 8, 100, 0},
		{"fewer than connections", func(j *Job) { j.Events = 3 }, 8, 3, 0},
		{"after a warm-up", func(j *Job) { j.Events, j.Warmup = 200, 50*time.Millisecond }, 4, 200, 0},
		{"several loops", func(j *Job) { j.Events, j.Loops = 501, 3 }, 6, 501, 0},
		{"at a rate", func(j *Job) { j.Events, j.Arrivals = 20, atRate(500, time.Minute) }, 4, 20, 20},
		{"of a schedule that ends before", func(j *Job) { j.Events, j.Arrivals = 1000, atRate(500, 50*time.Millisecond) }, 4, 25, 25},
		{"with a limit", func(j *Job) { j.Events, j.Limit = 3, 50 }, 1, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := scripted(t, "oltp_update_index", c.threads, func() {})
			c.of(j)
			r, err := Run(t.Context(), j, func(Interval) {})
			if err != nil {
				t.Fatal(err)
			}
			if w := r.Window; w.Transactions != c.done || w.Due != c.due || w.Unsent != 0 || r.Unfinished != 0 {
				t.Errorf("%d of %d transactions, %d due, %d unsent, %d unfinished", w.Transactions, c.done, w.Due, w.Unsent, r.Unfinished)
			}
			if r.Length <= 0 || r.Self.Ran <= 0 {
				t.Errorf("a window of %v, the loops ran for %v", r.Length, r.Self.Ran)
			}
		})
	}
}

// TestTimeEndsEvents: the window ends with the time also when all transactions have begun: one that
// is answered later is not part of it.
func TestTimeEndsEvents(t *testing.T) {
	mysqldtest.Attempts(t, 5, func() error {
		hold, release := holdSecond()
		j := scripted(t, "oltp_update_index", 2, hold)
		j.Loops, j.Events, j.Time, j.Drain = 1, 2, 200*time.Millisecond, time.Minute
		j.Interval = j.Time
		r, err := Run(t.Context(), j, func(Interval) { release() })
		if err != nil {
			t.Fatal(err)
		}
		in, after := r.Window.Transactions, r.Tail.Transactions
		if in == 0 && after == 2 {
			return errors.New("the machine let no transaction end in the window")
		}
		if in != 1 || after != 1 || r.Length != j.Time {
			t.Errorf("%d transactions in a window of %v, %d after it", in, r.Length, after)
		}
		return nil
	})
}

// TestStopInTheWarmup: nothing was measured.
func TestStopInTheWarmup(t *testing.T) {
	var n atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	j := scripted(t, "oltp_update_index", 2, func() {
		if n.Add(1) == 100 {
			cancel()
		}
	})
	j.Warmup, j.Time = time.Hour, time.Second
	r, err := Run(ctx, j, func(Interval) {})
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Window; w.Transactions != 0 || w.Latency.Count() != 0 || r.Length != 0 {
		t.Errorf("%d transactions in a window of %v", w.Transactions, r.Length)
	}
}

// TestIntervalsOfAllLoops: a loop that has nothing left to do does not keep the intervals of the
// others from being shown.
func TestIntervalsOfAllLoops(t *testing.T) {
	hold, release := holdSecond()
	j := scripted(t, "oltp_update_index", 2, hold)
	j.Loops, j.Events, j.Interval = 2, 100, 20*time.Millisecond
	shown := 0
	r, err := Run(t.Context(), j, func(Interval) {
		if shown++; shown == 5 {
			release()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Window.Transactions != 100 || shown < 5 {
		t.Errorf("%d transactions, %d intervals", r.Window.Transactions, shown)
	}
}

// TestGivenUp: a transaction that failed is given up at the end, which is not the same as no answer; a connection without
// one has nothing to give up, also if it is lost twice.
func TestGivenUp(t *testing.T) {
	p := programOf(t, "oltp_update_index", 1)
	for _, c := range []struct {
		name string
		of   func(*Loop, *connection)
		want int
		open int
	}{
		{"under way", func(l *Loop, c *connection) { l.busy, c.state = 1, asked }, 0, 1},
		{"idle, lost", func(l *Loop, c *connection) { l.disconnected(c) }, 0, 0},
		{"idle, lost, made and lost again", func(l *Loop, c *connection) {
			other := &connection{wire: c.wire}
			l.disconnected(c)
			c.wire = other.wire
			l.disconnected(c)
		}, 0, 0},
		{"under way, lost", func(l *Loop, c *connection) { l.busy, c.state = 1, asked; l.disconnected(c) }, 1, 0},
		{"failed", func(l *Loop, c *connection) { l.busy, c.state = 1, asked; l.undone(c) }, 1, 0},
		{"pausing", func(l *Loop, c *connection) { l.busy, c.state = 1, pausing; l.resume(c) }, 1, 0},
	} {
		l, conn := mute(t, p)
		l.phase, l.windowEnd = draining, 1
		c.of(l, conn)
		if r := result(l.job, []*Loop{l}, time.Now()); r.Unfinished != c.open || r.GivenUp != c.want {
			t.Errorf("%s: %d given up, want %d; %d unfinished, want %d", c.name, r.GivenUp, c.want, r.Unfinished, c.open)
		}
	}
}

// TestLimitIsShared: the loops of all generators begin their transactions one after another.
func TestLimitIsShared(t *testing.T) {
	const loops, generators, connections = 2, 2, 4
	var got []time.Duration
	for g := range generators {
		j := &Job{Connections: connections, First: g * connections, All: generators * connections, Limit: 5}
		for i := range loops {
			l := &Loop{job: j, number: i, of: loops, conns: make([]*connection, connections/loops)}
			l.space()
			got = append(got, time.Duration(l.allowed))
			if l.spacing != int64(400*time.Millisecond) {
				t.Errorf("loop %d of generator %d: a transaction every %v", i, g, time.Duration(l.spacing))
			}
		}
	}
	for i, at := range got {
		if want := time.Duration(i) * 100 * time.Millisecond; at != want {
			t.Errorf("loop %d of all begins at %v, want %v", i, at, want)
		}
	}
}
