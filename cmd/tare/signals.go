package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals on which a verb ends in order: what it started is
// stopped and removed. SIGHUP is what a closed terminal sends. Under nohup(1) it
// is ignored from the beginning, and stays so.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// outlivePipes keeps the process alive when the reader of its standard output or
// error has gone: the write then returns an error and no SIGPIPE is sent (package
// os/signal). A night's run must not end because the terminal's pager did. Not
// signal.Ignore: what is ignored stays so in every server and load generator.
func outlivePipes() (restore func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
