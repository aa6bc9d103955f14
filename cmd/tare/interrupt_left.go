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

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/external"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// left is what this process has made and not removed.
type left struct {
	servers []string // the directories of its servers on this machine
	arms    []target.Unremoved
	schemas []external.Left
	unread  error
}

// leftNow lists it.
func leftNow(t *terminal) (l left) {
	var pods []string // the trials whose server is one: their directories here have none
	l.arms, pods = t.inClusters()
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
			if i.PID == os.Getpid() && !slices.Contains(pods, filepath.Base(i.Dir)) {
				l.servers = append(l.servers, i.Dir)
			}
		}
	}
	l.schemas, err = external.LeftBy(state.Ledger(), os.Getpid())
	l.unread = errors.Join(append(errs, err)...)
	return l
}

// allRemoved is the end of a command by a signal of which it is known that nothing is left.
type allRemoved struct{ ends error }

// Error is the end.
func (a allRemoved) Error() string {
	return a.ends.Error() + "; everything that it started was removed"
}

// Unwrap is the signal.
func (a allRemoved) Unwrap() error { return a.ends }

// asRemoved adds to the end of a run by a signal that everything was removed, where that is known and nothing else is said.
func (t *terminal) asRemoved(said error, ends interrupted) error {
	if t.runs == nil || t.runs.Load() == nil || said.Error() != ends.Error() || !leftNow(t).nothing() {
		return said
	}
	all := allRemoved{ends}
	if h := (hinted{}); errors.As(said, &h) {
		return hinted{all, h.hint}
	}
	return all
}

// nothing tells that it is known that nothing is left.
func (l left) nothing() bool {
	return l.unread == nil && len(l.servers)+len(l.arms)+len(l.schemas) == 0
}

// inClusters is what the run under way has there, and the trials whose servers are pods.
func (t *terminal) inClusters() (all []target.Unremoved, pods []string) {
	if t.runs == nil || t.runs.Load() == nil {
		return nil, nil
	}
	job := t.runs.Load()
	held := func(unremoved func() target.Unremoved) {
		if unremoved == nil {
			return
		}
		u := unremoved()
		pods = append(pods, u.Instances...)
		if u.Arm != "" {
			all = append(all, u)
		}
	}
	for _, arm := range job.Experiment.Arms {
		held(job.Targets[arm.Name].Capabilities().Unremoved)
	}
	if job.From != nil {
		held(job.From.Unremoved)
	}
	return all, pods
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
		if command := "tare clean" + flagsOf(kubernetes.Where{Kubeconfig: a.Kubeconfig, Context: a.Context, Namespace: a.Namespace}); !slices.Contains(places, command) {
			places = append(places, command)
		}
	}
	for _, command := range places {
		fmt.Fprintln(w, asCalled("  "+command+" removes what is left, when the API server answers"))
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
func podOrObjects(a target.Unremoved) string {
	if a.Pod != "" {
		return "pod " + a.Namespace + "/" + a.Pod
	}
	return "the objects of " + a.Arm + " in namespace " + a.Namespace
}
