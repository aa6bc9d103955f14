package barrier

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// monotonic reads the clock that environment.Clock names, in nanoseconds. Go's time has the same clock, and does not show it.
func monotonic() (int64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, fmt.Errorf("read CLOCK_MONOTONIC: %w", err)
	}
	return t.Nano(), nil
}
