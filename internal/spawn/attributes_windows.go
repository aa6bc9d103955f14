package spawn

import (
	"os"
	"syscall"
)

// Session has nothing to set: Windows knows no sessions of processes.
func Session() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// Group keeps Ctrl-C in tare's console from the process, which tare ends itself.
func Group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Signal ends a process, whatever the signal is. What it has started goes on.
func Signal(leader int, _ syscall.Signal) error {
	p, err := os.FindProcess(leader)
	if err != nil {
		return syscall.ESRCH
	}
	return p.Kill()
}
