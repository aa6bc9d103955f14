package loop_test

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/pace"
)

// partsSendWhatTheWholeWould: two generators that share an open loop send its
// arrivals once, and their connections draw other rows.
func partsSendWhatTheWholeWould(t *testing.T, b *bench) {
	b.prepare(t, small(1, 1000, 1))
	s := pace.Schedule{{Length: time.Second, From: 300, To: 300}}
	begin := time.Now().Add(500 * time.Millisecond)
	var waits []func() *loop.Result
	for part := range 2 {
		j := b.job(t, "oltp_point_select", small(1, 1000, 2))
		j.First, j.Start, j.Time = 2*part, begin, 1500*time.Millisecond
		j.Arrivals = new(pace.Constant(s).Part(part, 2))
		waits = append(waits, start(t, j, func(loop.Interval) {}))
	}
	sum := waits[0]()
	second := waits[1]()
	if !sum.Started.Equal(begin) || !second.Started.Equal(begin) {
		t.Errorf("started at %v and %v, not at %v", sum.Started, second.Started, begin)
	}
	sum.Window.Merge(second.Window)
	// On a busy machine a connection may still wait for its answer at the end.
	late := sum.Tail.Transactions + second.Tail.Transactions + int64(sum.Unfinished+second.Unfinished+sum.GivenUp+second.GivenUp)
	if w := sum.Window; w.Due != 300 || w.Transactions+w.Unsent+late != 300 || late > 4 || w.Latency.Count() != w.Transactions {
		t.Errorf("%d due, %d done, %d unsent, %d after the end, %d latencies", w.Due, w.Transactions, w.Unsent, late, w.Latency.Count())
	}
}
