package loop

import (
	"time"

	"github.com/tarebench/tare/internal/loadgen/latency"
)

// Clock is what the clock that times everything costs and tells apart.
type Clock struct {
	Cost time.Duration // of one reading, without what else the machine does meanwhile
	Step time.Duration // the smallest difference between two readings
	// Lateness is how long after a due time a waiting loop is running again.
	Lateness *latency.Histogram
}

// MeasureClock takes about half a second.
func MeasureClock() Clock {
	const batches, readings = 20, 10000
	base := time.Now()
	c := Clock{Cost: time.Hour, Step: time.Hour, Lateness: latency.New()}
	last := time.Since(base)
	for range batches { // a machine that takes the CPU away makes a batch longer and never shorter
		began := last
		for range readings {
			now := time.Since(base)
			if now > last {
				c.Step = min(c.Step, now-last)
			}
			last = now
		}
		c.Cost = min(c.Cost, (last-began)/readings)
	}
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		exactThread()
		for range 200 {
			due := time.Since(base) + 2*time.Millisecond
			sleepUntil(base, due)
			c.Lateness.Record(int64(time.Since(base) - due))
		}
	}()
	<-measured
	return c
}
