package environment

import (
	"errors"
	"io/fs"
	"os"
)

// timeNamespace is the namespace of a process's clocks (time_namespaces(7), Linux 5.6).
const timeNamespace = "/proc/self/ns/time"

// Clock names the clock of this process that is never set, CLOCK_MONOTONIC of clock_gettime(2). Processes with equal names
// read one clock, also in different containers: it is the kernel's, and differs between its time namespaces alone.
func Clock() (string, error) {
	boot, err := Boot()
	if err != nil {
		return "", err
	}
	namespace, err := os.Readlink(timeNamespace)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // an older kernel has one clock
		return "", err
	}
	return boot + " " + namespace, nil
}
