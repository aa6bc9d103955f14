package spawn

import "syscall"

// Session has a process lead a session of its own, and the kernel kill it with the thread that started it.
func Session() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// Group has a process lead a process group of its own, and the kernel kill it with the thread that started it.
func Group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Signal sends a signal to all processes of the group that a process leads.
func Signal(leader int, s syscall.Signal) error { return syscall.Kill(-leader, s) }
