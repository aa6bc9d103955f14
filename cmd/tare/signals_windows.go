package main

import "syscall"

// signalName is "SIGTERM". Go has these two of Windows: Ctrl-C, and the end of the session or of the console.
func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return s.String()
}
