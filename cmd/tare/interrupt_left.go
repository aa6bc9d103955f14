package main

// This file says what a command that a signal ends has made and not removed yet.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tarebench/tare/internal/target/external"
)

// left is what this process has made and not removed.
type left struct {
	servers []string // the directories of its servers on this machine
	schemas []external.Left
	unread  error
}

// leftNow lists it.
func leftNow(t *terminal) (l left) {
	state, err := t.state()
	if err != nil {
		return l // it made nothing without one
	}
	all, err := state.All()
	errs := []error{err}
	for _, s := range all {
		found, err := s.Instances()
		if err != nil {
			errs = append(errs, fmt.Errorf("in %s: %w", s.Dir, err))
		}
		for _, i := range found {
			if i.PID == os.Getpid() {
				l.servers = append(l.servers, i.Dir)
			}
		}
	}
	l.schemas, err = external.LeftBy(state.Ledger(), os.Getpid())
	l.unread = errors.Join(append(errs, err)...)
	return l
}

// waitsFor says what a command that a signal ends waits for.
func waitsFor(t *terminal) string {
	l := leftNow(t)
	var all []string
	for _, s := range l.schemas {
		all = append(all, fmt.Sprintf("waiting for %s, which has not completed the statements of this command; schema %s is to be dropped there", s.Where, s.Schema))
	}
	for _, dir := range l.servers {
		all = append(all, "waiting for the server of "+dir+" to end")
	}
	if len(all) == 0 {
		return "waiting for what this command started to end"
	}
	return strings.Join(all, "; ")
}

// sayLeft names what this process has made and not removed.
func sayLeft(t *terminal, w io.Writer) {
	l := leftNow(t)
	if l.unread != nil {
		fmt.Fprintf(w, "  what is left cannot be listed: %s\n", l.unread)
	}
	for _, dir := range l.servers {
		fmt.Fprintf(w, "  left: the server of %s and its files\n", dir)
	}
	for _, s := range l.schemas {
		fmt.Fprintf(w, "  may be left: schema %s on %s\n", s.Schema, s.Where)
	}
	switch {
	case len(l.servers) > 0:
		fmt.Fprintln(w, asCalled("  tare clean removes it; for a cluster: tare clean --kubeconfig FILE --namespace NAME"))
	case len(l.schemas) > 0:
		fmt.Fprintln(w, asCalled("  tare clean removes it, when the server answers"))
	default:
		fmt.Fprintln(w, asCalled("  nothing is left on this machine; tare clean checks it"))
	}
}
