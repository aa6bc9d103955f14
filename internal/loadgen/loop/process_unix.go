//go:build unix && !linux

package loop

import (
	"syscall"
	"time"
)

// processUsage is the CPU time of this process.
func processUsage() (user, system time.Duration) {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
}
