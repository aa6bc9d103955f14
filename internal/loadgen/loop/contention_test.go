package loop

import (
	"testing"
	"time"
)

// TestContention: a loop preempts while it would wait as it does beside a process that uses
// its time slices, and only then; trying without preemption takes a small share of the time.
func TestContention(t *testing.T) {
	const (
		ms     = int64(time.Millisecond)
		second = int64(time.Second)
	)
	always := func(int64) bool { return true }
	for name, c := range map[string]struct {
		wait      func(number int) int64 // of a loop that does not preempt
		contended func(now int64) bool
		low, high float64 // share of a minute in which it preempts
	}{
		"server alone":            {func(int) int64 { return 30_000 }, always, 0, 0},
		"one pause in a hundred":  {func(n int) int64 { return map[bool]int64{true: 200 * ms, false: 30_000}[n%100 == 0] }, always, 0, 0},
		"busy process":            {func(int) int64 { return 3 * ms }, always, .99, 1},
		"busy process at times":   {func(n int) int64 { return map[bool]int64{true: 4 * ms, false: 100_000}[n%2 == 0] }, always, .97, 1},
		"from 20 s to 30 s":       {func(int) int64 { return 3 * ms }, func(now int64) bool { return now > 20*second && now < 30*second }, 10. / 60, 26. / 60},
		"nothing that is to send": {func(int) int64 { return -1 }, always, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var l contention
			now, number, trying := int64(0), 0, int64(0)
			for now < 60*second {
				number++
				waited := int64(10_000)
				if !l.preempting {
					if waited = 30_000; c.contended(now) {
						waited = c.wait(number)
					}
					trying += max(waited, 0)
				}
				now += ms + max(waited, 0)
				l.note(now, waited)
			}
			share := float64(l.total(now)) / float64(now)
			if share < c.low || share > c.high {
				t.Errorf("preempted for %.3f of the time, want %.3f to %.3f; %d ms without", share, c.low, c.high, trying/ms)
			}
		})
	}
}
