package observe

import (
	"testing"
	"time"
)

// TestRestarted: a server that has run for less than the time that has passed was started again, also
// if it has run for longer than it had at the beginning.
func TestRestarted(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		before, after float64 // uptime
		passed        time.Duration
		want          bool
	}{
		{600, 4200, time.Hour, false},
		{600, 4198.5, time.Hour, false}, // whole seconds
		{600, 2400, time.Hour, true},
		{600, 10, time.Hour, true},
		{0, 1, 2 * time.Second, false},
	} {
		before, after := work{at: now, uptime: c.before}, work{at: now.Add(c.passed), uptime: c.after}
		if got := before.restarted(after); got != c.want {
			t.Errorf("uptime %v, %v later %v: restarted %v", c.before, c.passed, c.after, got)
		}
	}
}
