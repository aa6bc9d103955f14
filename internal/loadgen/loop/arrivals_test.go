package loop

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// A loop that comes late to the end of a phase still counts what fell due in it, and
// only that: warm-up and window are as long as was asked for.
func TestLateToTheEnd(t *testing.T) {
	const rate = 100
	s := pace.Schedule{{Length: time.Minute, From: rate, To: rate}}
	j := &Job{Program: &workload.Program{}, Warmup: time.Second, Time: 2 * time.Second,
		Arrivals: new(pace.Constant(s))}
	l, err := newLoop(j, 0, 1, newBudget(j), make(chan handover, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for _, now := range []time.Duration{0, 1500 * time.Millisecond, 3700 * time.Millisecond} {
		l.now = int64(now)
		l.turn()
		l.dispatch()
	}
	// No connection is there to send anything: all wait, those of the warm-up too.
	if w := result(j, []*Loop{l}, time.Time{}).Window; w.Due != 2*rate || w.Unsent != 2*rate {
		t.Errorf("%+v", w)
	}
}

// TestQueueAtTheStep: what falls due while no connection is free is in the step in which it falls
// due, also if nothing wakes the loop before the step's end.
func TestQueueAtTheStep(t *testing.T) {
	const rate = 100
	handed := make(chan handover, 8)
	j := &Job{Program: &workload.Program{}, Time: time.Minute, Interval: time.Second, Arrivals: atRate(rate, time.Minute)}
	l, err := newLoop(j, 0, 1, newBudget(j), handed)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for s := range 3 {
		l.now = int64(time.Duration(s) * time.Second)
		l.turn()
	}
	for s := range 2 {
		if h := <-handed; h.queue != int64(s+1)*rate || h.tally.Due != rate {
			t.Errorf("step %d: %d wait, %d fell due", s, h.queue, h.tally.Due)
		}
	}
}

// TestOneQueue: the operations of a job are sent in the order in which they are due, whichever loop has a
// free connection; a loop that is busy delays none.
func TestOneQueue(t *testing.T) {
	const n = 40
	hold, release := holdSecond()
	j := scripted(t, "oltp_update_index", 2, hold)
	j.Loops, j.Interval, j.Arrivals = 2, 20*time.Millisecond, atRate(400, n*time.Second/400)
	done := int64(0)
	r, err := Run(t.Context(), j, func(i Interval) {
		if done += i.Transactions; done == n-1 { // all but the one whose answer is held
			release()
			done++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Window; r.Loops != 2 || w.Transactions != n || w.Due != n || w.Unsent != 0 {
		t.Errorf("%d loops, %d done, %d due, %d unsent", r.Loops, w.Transactions, w.Due, w.Unsent)
	}
}

// TestClaims: a loop waits for one operation, the first that no other loop waits for; one that it cannot
// send goes to another loop, also if that waits for a later one.
func TestClaims(t *testing.T) {
	p := programOf(t, "oltp_update_index", 1)
	j := &Job{Program: p, Arrivals: atRate(1000, time.Minute), Time: time.Hour,
		Dial: func(context.Context) (*wire.Session, error) { return nil, errors.New("refused") }}
	left := newBudget(j)
	var loops []*Loop
	for i := range 2 {
		l, c := mute(t, p)
		l.job, l.number, l.left, l.arrivals, l.open, l.idle = j, i, left, left.arrivals, true, []*connection{c}
		l.series = newTally(0, true)
		l.window = newTally(len(p.Statements), true)
		loops = append(loops, l)
	}
	left.loops = loops
	first, second := loops[0], loops[1]
	for _, l := range loops {
		l.now = -1
		l.dispatch()
	}
	const ms = int64(time.Millisecond)
	if first.claimed != 0 || second.claimed != ms || left.arrivals.first() != 2*ms {
		t.Fatalf("claimed %d and %d, the next is %d", first.claimed, second.claimed, left.arrivals.first())
	}
	first.disconnected(first.conns[0])
	first.dispatch()
	if first.claimed != forever || !second.called.Load() || left.arrivals.first() != 0 {
		t.Fatalf("a loop without a connection has claimed %d; the other is called: %v", first.claimed, second.called.Load())
	}
	second.now = 0
	second.dispatch()
	if c := second.conns[0]; c.state != asked || c.due != 0 || second.claimed != forever || left.arrivals.first() != ms {
		t.Errorf("state %d, due %d; claimed %d, the next is %d", c.state, c.due, second.claimed, left.arrivals.first())
	}
	if left.arrivals.unsent(2) != 1 || left.arrivals.held != 0 {
		t.Errorf("%d of 2 unsent, %d held", left.arrivals.unsent(2), left.arrivals.held)
	}
}
