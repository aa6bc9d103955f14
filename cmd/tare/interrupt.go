package main

// How a command ends on a signal: the first one has it stop and remove what it started,
// one that comes two seconds later or more ends the process at once and says what is left.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// interrupted is the cause of a command's end by a signal.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return "ended by " + i.name() }

func (i interrupted) name() string {
	if s, ok := i.signal.(syscall.Signal); ok {
		return signalName(s)
	}
	return i.signal.String()
}

// code is what a shell reports for a process that a signal ended: 130 for SIGINT, 143 for
// SIGTERM, 129 for SIGHUP (bash(1), EXIT STATUS).
func (i interrupted) code() int {
	if s, ok := i.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitFailed
}

// holdsNothing are the verbs that start nothing and make nothing that a signal would
// leave half done: they end at the first one. A check builds the network of an arm.
func holdsNothing() []string {
	return []string{"report", "compare", "combine", "history", "explain", "export", "lint", "list", "init", "version", "help", "completion", ""}
}

// explainsWithProbes is explain under way that makes a probe pod, which has to be deleted.
const explainsWithProbes = "explain --probe-namespace"

// sameRequest is how long after the first signal others belong to it. timeout(1) signals its child and
// then the child's process group, so that the child gets SIGTERM twice within a millisecond; a shell, a
// service manager and a container runtime can do the same.
const sameRequest = 2 * time.Second

// untilSignal is a context that the first of the signals ends. running is the verb under
// way; exit ends the process.
func untilSignal(t *terminal, signals []os.Signal, running *atomic.Value, exit func(code int)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, signals...)
	done := make(chan struct{})
	verb := func() string {
		name, _ := running.Load().(string)
		return name
	}
	go obey(t, t.err, caught, done, verb, cancel, exit)
	return ctx, func() {
		signal.Stop(caught)
		close(done)
		cancel(nil)
	}
}

// obey cancels at the first signal, and ends the process at the first that comes later than sameRequest
// after it. errs is the terminal's standard error as it was before --quiet, which does not silence this.
func obey(t *terminal, errs io.Writer, caught <-chan os.Signal, done <-chan struct{}, verb func() string, cancel context.CancelCauseFunc, exit func(code int)) {
	first, ok := nextSignal(caught, done)
	if !ok {
		return
	}
	since := time.Now()
	ends := interrupted{first}
	if slices.Contains(holdsNothing(), verb()) {
		fmt.Fprintf(errs, "tare: %s\n", ends)
		exit(ends.code())
		return
	}
	does := "stopping and removing what this command started"
	if name, _ := t.follows.Load().(string); name != "" {
		does = "leaving run " + name
	}
	fmt.Fprintf(errs, "tare: %s: %s; another signal, %s later or more, ends it at once\n", ends.name(), does, sameRequest)
	cancel(ends)
	still := time.NewTicker(stillAfter)
	defer still.Stop()
	for {
		select {
		case <-done:
			return
		case <-still.C:
			fmt.Fprintf(errs, "tare: %s after %s: %s\n", time.Since(since).Round(time.Second), ends.name(), waitsFor(t))
			still.Reset(stillEvery)
		case again := <-caught:
			if time.Since(since) < sameRequest {
				continue
			}
			ends = interrupted{again}
			fmt.Fprintf(errs, "tare: %s: ended at once\n", ends.name())
			sayLeft(t, errs)
			exit(ends.code())
			return
		}
	}
}

// stillAfter is when a command that a signal ends first says what it waits for, stillEvery how often it repeats that.
const (
	stillAfter = 10 * time.Second
	stillEvery = 30 * time.Second
)

// nextSignal waits for a signal; ok is false when the command has ended without one.
func nextSignal(caught <-chan os.Signal, done <-chan struct{}) (s os.Signal, ok bool) {
	select {
	case s = <-caught:
		return s, true
	case <-done:
		return nil, false
	}
}

// endedBy is the signal that ended a command, where one did.
func endedBy(ctx context.Context) (i interrupted, ok bool) {
	ok = errors.As(context.Cause(ctx), &i)
	return i, ok
}
