package target

import (
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/environment"
)

// startTicks is when a process started, in clock ticks since boot. A dead
// process that waits for its parent has ended: it is an error.
func startTicks(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("find process %d: %w", pid, err)
	}
	stat, err := p.Stat()
	if err != nil {
		return 0, fmt.Errorf("read start of process %d: %w", pid, err)
	}
	if hasEnded(stat) {
		return 0, fmt.Errorf("read start of process %d: %w", pid, errEnded)
	}
	return stat.Starttime, nil
}

// bootID is "" where the kernel does not tell.
func bootID() string {
	name, _ := environment.Boot()
	return name
}

// pidNamespace is "" where the kernel does not tell.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// noProcess says that no process has this number. /proc hides the processes of other users where
// it is mounted with hidepid (proc(5)), and kill(2) does not: no such process is ESRCH alone.
func noProcess(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
