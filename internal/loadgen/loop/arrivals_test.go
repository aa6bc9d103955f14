package loop

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/workload"
)

// A loop that comes late to the end of a phase still counts what fell due in it, and
// only that: warm-up and window are as long as was asked for.
func TestLateToTheEnd(t *testing.T) {
	const rate = 100
	s := pace.Schedule{{Length: time.Minute, From: rate, To: rate}}
	j := &Job{Program: &workload.Program{}, Warmup: time.Second, Time: 2 * time.Second,
		Arrivals: func(part, of int) pace.Arrivals { return pace.Constant(s, part, of) }}
	l, err := newLoop(j, 0, 1, &budget{}, make(chan handover, 8))
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
	if l.measured == nil || l.measured.Due != 2*rate || l.measured.Unsent != 2*rate {
		t.Errorf("%+v", l.measured)
	}
}

// TestQueueAtTheStep: what falls due while no connection is free is in the step in which it falls
// due, also if nothing wakes the loop before the step's end.
func TestQueueAtTheStep(t *testing.T) {
	const rate = 100
	handed := make(chan handover, 8)
	j := &Job{Program: &workload.Program{}, Time: time.Minute, Interval: time.Second, Arrivals: atRate(rate, time.Minute)}
	l, err := newLoop(j, 0, 1, &budget{}, handed)
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
