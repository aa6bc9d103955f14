package loop

import (
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/pace"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

func TestCeiling(t *testing.T) {
	for _, n := range []int{1, 64} {
		mysqldtest.Attempts(t, 5, func() error { return ceiling(t, n) })
	}
}

// ceiling returns an error where a machine that stood still answered nothing in the window.
func ceiling(t *testing.T, connections int) error {
	t.Helper()
	c, err := MeasureCeiling(t.Context(), connections, 500*time.Millisecond)
	if err != nil {
		return err
	}
	// No machine does a round trip over loopback in half a microsecond, and none
	// that can run a database takes a millisecond of CPU for it; of a few round trips the
	// CPU is that of the loop's start and end.
	n := c.RoundTrip.Count()
	if c.CPU < 500*time.Nanosecond || n > 300 && c.CPU > time.Millisecond || n == 0 || c.RoundTrip.Percentile(50) < 1000 {
		t.Errorf("%d connections: %v CPU, round trip %d ns of %d", connections, c.CPU, c.RoundTrip.Percentile(50), n)
	}
	return nil
}

func TestClock(t *testing.T) {
	c := MeasureClock()
	if c.Cost <= 0 || c.Cost > 10*time.Microsecond || c.Step <= 0 || c.Step > time.Millisecond || c.Lateness.Count() != 200 || c.Lateness.Min() < 0 {
		t.Errorf("cost %v, step %v, lateness of %d", c.Cost, c.Step, c.Lateness.Count())
	}
}

// TestLoops: there are as many loops as docs/results/performance.md says.
func TestLoops(t *testing.T) {
	for _, c := range [][5]int{
		// connections, processors, loops of a closed load that reads, of one that writes, and of an open one
		{1, 2, 1, 1, 1}, {2, 2, 2, 2, 2}, {3, 2, 3, 3, 3}, {4, 2, 4, 2, 4}, {5, 2, 2, 2, 4}, {8, 2, 2, 2, 4}, {16, 2, 1, 1, 4}, {32, 2, 1, 1, 4},
		{64, 2, 2, 2, 4}, {64, 8, 4, 4, 16}, {16, 16, 16, 16, 16}, {32, 16, 32, 16, 32}, {10000, 64, 64, 64, 128}, {1, 1, 1, 1, 1}, {2, 1, 2, 1, 2}, {16, 1, 1, 1, 2}, {64, 1, 1, 1, 2},
	} {
		var got [3]int
		for i, name := range []string{"oltp_read_only", "oltp_read_write", "oltp_read_write"} {
			j := &Job{Program: programOf(t, name, 1), Connections: c[0]}
			if i == 2 {
				j.Arrivals = &pace.Arrivals{}
			}
			got[i] = j.loopsOn(c[1])
		}
		if got != [3]int(c[2:]) {
			t.Errorf("%d connections on %d processors: %v loops, want %v", c[0], c[1], got, c[2:])
		}
	}
}
