package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/remove"
)

// Leftover is an instance found on disk.
type Leftover struct {
	Note
	// Dir is the instance directory.
	Dir string
	// Alive: a tare holds it, so it is in use.
	Alive bool
	// Err says why the note cannot be used, nil when it can. Such an instance has
	// no run directory that could be known, and RunDir is Dir.
	Err     error
	made    time.Time
	runDirs []string
}

// Instances lists the instances in state/instances, those in use too. A state
// directory that does not exist has none. Each has its run directory in one of runDirs,
// under its own name: a note that names another one cannot be used. A directory in which
// another user can have put instances is an error.
func Instances(state string, runDirs ...string) ([]Leftover, error) {
	entries, err := os.ReadDir(filepath.Join(state, "instances"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = checkInstances(filepath.Join(state, "instances"))
	}
	if err != nil {
		return nil, fmt.Errorf("list instances: %w", err)
	}
	var found []Leftover
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		l := Leftover{Dir: filepath.Join(state, "instances", e.Name()), runDirs: runDirs}
		if info, err := e.Info(); err == nil {
			l.made = info.ModTime()
		}
		l.look()
		found = append(found, l)
	}
	return found, nil
}

// checkInstances is [CheckOwn] for the directory of the instances. Its notes tell what is left on this
// machine, so removing it is no advice.
func checkInstances(dir string) error {
	return checkOwn(dir, "name another state directory with --state, or run tare as the user who owns this one")
}

// Sweep is the function [Sweep] for this instance. Force sweeps it though its
// tare still runs: that run then fails.
func (l Leftover) Sweep(ctx context.Context, force bool, log io.Writer) error {
	if l.Err != nil && !force {
		l = l.settle(ctx)
	}
	switch {
	case l.Alive && !force:
		return fmt.Errorf("sweep instance %s: its tare still runs (process %d)", l.Name, l.PID)
	case l.unfinished():
		fmt.Fprintf(log, "remove %s\n", l.Dir)
		return remove.Tree(filepath.Dir(l.Dir), l.Dir)
	}
	return sweep(ctx, l.Name, l.Dir, l.RunDir, log)
}

// unfinished: nothing had been started when the tare that made it ended.
func (l Leftover) unfinished() bool { return strings.HasPrefix(filepath.Base(l.Dir), unfinished) }

// settled is how old an instance directory must be that has no lock and no note,
// so that no tare can be about to make them. It is the next thing one does after
// making the directory.
const settled = 2 * time.Second

// settle looks at an instance without a usable note again when it is settled.
func (l Leftover) settle(ctx context.Context) Leftover {
	select {
	case <-time.After(settled - min(settled, time.Since(l.made))):
	case <-ctx.Done():
	}
	l.look()
	return l
}

// look reads the note and tries the lock.
func (l *Leftover) look() {
	name := strings.TrimPrefix(filepath.Base(l.Dir), unfinished)
	alive, err := locked(l.Dir)
	l.Alive = alive || err != nil // what cannot be known may be in use
	l.Note, l.Err = readOwner(l.Dir)
	if l.Err == nil {
		l.Err = errors.Join(err, l.plausible(name, l.runDirs))
	}
	if l.Err != nil {
		l.Name, l.RunDir = name, l.Dir
	}
}

// plausible refuses a note that would lead a sweep to the wrong place: to a run directory
// that was not made for the instance.
func (n Note) plausible(name string, runDirs []string) error {
	if n.Name != name {
		return fmt.Errorf("its note is that of instance %q", n.Name)
	}
	for _, dir := range runDirs {
		if n.RunDir == filepath.Join(dir, name) {
			return checkInstance(name, n.RunDir)
		}
	}
	return fmt.Errorf("its note names a run directory that is not the one of this instance: %q", n.RunDir)
}
