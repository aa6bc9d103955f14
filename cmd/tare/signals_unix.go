//go:build unix

package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName is "SIGTERM".
func signalName(s syscall.Signal) string { return unix.SignalName(s) }
