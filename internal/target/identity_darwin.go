package target

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// isZombie is SZOMB of sys/proc.h: the process has ended and waits for its parent.
const isZombie = 5

// startTicks is when a process started, in microseconds since 1970 (sysctl(3), KERN_PROC_PID).
func startTicks(pid int) (uint64, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, fmt.Errorf("read start of process %d: %w", pid, err)
	}
	if p.Proc.P_stat == isZombie {
		return 0, fmt.Errorf("read start of process %d: %w", pid, errEnded)
	}
	return uint64(unix.TimevalToNsec(p.Proc.P_starttime) / 1000), nil
}

// bootID is "" where the kernel does not tell.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

// pidNamespace is one: all processes of the machine are numbered together.
func pidNamespace() string { return "darwin" }

// noProcess says that no process has this number.
func noProcess(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
