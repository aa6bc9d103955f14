package main

// This file says what a command that a signal ends has made and not removed yet.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/target/external"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// left is what this process has made and not removed.
type left struct {
	servers []string // the directories of its servers on this machine
	arms    []kubernetes.Unremoved
	schemas []external.Left
	unread  error
}

// leftNow lists it.
func leftNow(t *terminal) (l left) {
	l.arms = kubernetes.LeftNow()
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
			if i.PID == os.Getpid() && !kubernetes.IsPod(filepath.Base(i.Dir)) {
				l.servers = append(l.servers, i.Dir)
			}
		}
	}
	l.schemas, err = external.LeftBy(state.Ledger(), os.Getpid())
	l.unread = errors.Join(append(errs, err)...)
	return l
}

// waitsFor says what a command that a signal ends waits for.
func waitsFor(t *terminal) string { return leftNow(t).waits() }

func (l left) waits() string {
	var all []string
	for _, s := range l.schemas {
		all = append(all, fmt.Sprintf("waiting for %s, which has not completed the statements of this command; schema %s is to be dropped there", s.Where, s.Schema))
	}
	for _, a := range l.arms {
		all = append(all, "waiting for the removal of "+podOrObjects(a))
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
func sayLeft(t *terminal, w io.Writer) { leftNow(t).say(w) }

func (l left) say(w io.Writer) {
	if l.unread != nil {
		fmt.Fprintf(w, "  what is left cannot be listed: %s\n", l.unread)
	}
	for _, dir := range l.servers {
		fmt.Fprintf(w, "  left: the server of %s and its files\n", dir)
	}
	for _, s := range l.schemas {
		fmt.Fprintf(w, "  may be left: schema %s on %s\n", s.Schema, s.Where)
	}
	var places []string
	for _, a := range l.arms {
		fmt.Fprintf(w, "  may be left: %s\n", podOrObjects(a))
		if command := "tare clean" + flagsOf(a.At); !slices.Contains(places, command) {
			places = append(places, command)
		}
	}
	for _, command := range places {
		fmt.Fprintln(w, asCalled("  "+command+" removes it, when the API server answers"))
	}
	switch {
	case len(l.servers) > 0:
		fmt.Fprintln(w, asCalled("  tare clean removes it"))
	case len(l.schemas) > 0:
		fmt.Fprintln(w, asCalled("  tare clean removes it, when the server answers"))
	case len(places) == 0:
		fmt.Fprintln(w, asCalled("  nothing is left on this machine; tare clean checks it"))
	}
}

// podOrObjects names what an arm has in a cluster: its pod, or its other objects where none is up.
func podOrObjects(a kubernetes.Unremoved) string {
	if a.Pod != "" {
		return "pod " + a.At.Namespace + "/" + a.Pod
	}
	return "the objects of " + a.Arm + " in namespace " + a.At.Namespace
}
