//go:build unix && !linux

package spawn

import "syscall"

// Session has a process lead a session of its own. It outlives a tare that is killed.
func Session() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Group has a process lead a process group of its own. It outlives a tare that is killed.
func Group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Signal sends a signal to all processes of the group that a process leads.
func Signal(leader int, s syscall.Signal) error { return syscall.Kill(-leader, s) }
