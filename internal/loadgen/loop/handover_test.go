package loop

import (
	"context"
	"testing"
	"time"
)

// TestSeriesEndsWithTheWindow: while the last transactions are waited for, nothing is measured:
// a second of it would be one without throughput in the series.
func TestSeriesEndsWithTheWindow(t *testing.T) {
	ended := make(chan struct{})
	defer close(ended)
	j := newAnswers(t, func() { <-ended }).job(t, 0, nil)
	j.Turns, j.Loops, j.Connections = nil, 1, 2
	j.Warmup, j.Time, j.Interval, j.Drain = 50*time.Millisecond, 150*time.Millisecond, 50*time.Millisecond, 300*time.Millisecond
	var ends []time.Duration
	r, err := Run(context.Background(), j, func(i Interval) { ends = append(ends, i.End) })
	if err != nil {
		t.Fatal(err)
	}
	if r.Unfinished == 0 { // a machine that stands still can hold up the other connection as well
		t.Fatal("no transaction was under way at the end")
	}
	if len(ends) != 4 || ends[3] != j.Warmup+j.Time {
		t.Errorf("the series has steps that end at %v, the window ends at %v", ends, j.Warmup+j.Time)
	}
}

// TestWaitsAfterTheSeries: a loop whose series has ended sleeps until something happens.
func TestWaitsAfterTheSeries(t *testing.T) {
	j := newAnswers(t, nil).job(t, 0, nil)
	j.Turns, j.Warmup, j.Time, j.Interval = nil, time.Second, 2*time.Second, time.Second
	l, err := newLoop(j, 0, 1, &budget{}, make(chan handover, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.base = time.Now().Add(-time.Minute)
	l.now = l.clock()
	l.turn()
	if wait := time.Duration(l.patience()); l.phase != draining || wait < time.Second/2 {
		t.Errorf("phase %d: it waits for events for %v", l.phase, wait)
	}
}
