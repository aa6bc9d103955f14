package loop

import (
	"time"

	"golang.org/x/sys/windows"
)

// processUsage is the CPU time of this process (GetProcessTimes).
func processUsage() (user, system time.Duration) {
	var created, ended, kernel, own windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &own); err != nil {
		return 0, 0
	}
	return elapsed(own), elapsed(kernel)
}

// elapsed is a Filetime that is a length: its Nanoseconds counts from 1970.
func elapsed(t windows.Filetime) time.Duration {
	return 100 * time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime))
}
