package loop

import (
	"testing"
	"time"
)

// TestClockIsSet: the kernel's stamps are times of the wall clock. Where that is set while a
// load runs, no latency contains the difference.
func TestClockIsSet(t *testing.T) {
	l := &Loop{base: time.Now().Add(-time.Minute)}
	l.now = l.clock()
	l.compareClocks()
	sent := l.now - int64(3*time.Millisecond)
	arrived := l.wall + l.now - int64(time.Millisecond)
	if at := l.arrival(arrived, sent); at != l.now-int64(time.Millisecond) {
		t.Errorf("without a change the stamp counts: %d ns before the batch", l.now-at)
	}
	for _, set := range []time.Duration{-time.Hour, -time.Second, -10 * time.Millisecond, 10 * time.Millisecond, 500 * time.Millisecond, time.Hour} {
		at := l.arrival(arrived+int64(set), sent)
		if at < sent || at > l.clock() {
			t.Errorf("the clock was set by %s: the answer counts as %s after its statement was sent, which is %s ago", set,
				time.Duration(at-sent), time.Duration(l.clock()-sent))
		}
	}
}
