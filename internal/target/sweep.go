package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/remove"
)

// How long one kind of leftover may take to go: a killed process to exit, a
// cgroup to lose its ended processes, a loop device to write what it holds. It takes
// milliseconds on an idle machine; on a busy one, with a limit on the device's
// bandwidth, a loop device took more than 15 s.
const sweepPatience = 90 * time.Second

// Sweep ends and removes what an instance left when its tare was killed:
// processes, mounts, loop devices, cgroups, network namespaces, then dir and runDir with all
// that is in them. It says on log what it removes. An instance of which nothing
// is left is not an error, so Sweep can be repeated.
//
// An instance that a tare holds is refused, this one's too: [Owned.Sweep] is for that.
func Sweep(ctx context.Context, name, dir, runDir string, log io.Writer) error {
	if err := checkInstance(name, dir, runDir); err != nil {
		return fmt.Errorf("sweep instance: %w", err)
	}
	alive, err := locked(dir)
	if err != nil {
		return fmt.Errorf("sweep instance %s: %w", name, err)
	}
	if alive {
		return fmt.Errorf("sweep instance %s: its tare still runs", name)
	}
	return sweep(ctx, name, dir, runDir, log)
}

func sweep(ctx context.Context, name, dir, runDir string, log io.Writer) error {
	if err := checkInstance(name, dir, runDir); err != nil {
		return fmt.Errorf("sweep instance: %w", err)
	}
	i := instance{name, dir, runDir, announcer(log)}
	for n, step := range i.steps() {
		fault.At(fmt.Sprintf("sweep: before step %d", n+1))
		if err := until(ctx, step); err != nil {
			return fmt.Errorf("sweep instance %s: %w", name, err)
		}
	}
	if err := i.removeFiles(); err != nil {
		return fmt.Errorf("sweep instance %s: %w", name, err)
	}
	return nil
}

type instance struct {
	name, dir, runDir string
	say               func(format string, args ...any)
}

// announcer says a thing once, however often it is tried.
func announcer(log io.Writer) func(string, ...any) {
	said := map[string]bool{}
	return func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !said[line] {
			said[line] = true
			fmt.Fprintln(log, line)
		}
	}
}

// A step looks for one kind of leftover and removes what it finds. It returns why some of
// that is left, and an error where it could not look.
type step func() (left, err error)

// until repeats a step until it has nothing left to do: a process may have forked while
// it was looked at, a cgroup may still be busy.
func until(ctx context.Context, s step) error {
	deadline := time.Now().Add(sweepPatience)
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		left, err := s()
		if left == nil || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return left
		}
		select {
		case <-ctx.Done():
			return errors.Join(left, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (i instance) removeFiles() error {
	left, err := mounts(i.name, i.dir, i.runDir)
	if err != nil {
		return err
	}
	if len(left) > 0 { // never remove through a mount: what is there is not ours
		return fmt.Errorf("remove files: still mounted: %s", strings.Join(left, ", "))
	}
	// dir last, and only when the other is gone: it holds the owner's note, by which what is
	// left is found again.
	for n, dir := range []string{i.runDir, i.dir} {
		fault.At(fmt.Sprintf("sweep: before directory %d", n+1))
		if _, err := os.Lstat(dir); err == nil {
			i.say("remove %s", dir)
			if err := remove.Tree(filepath.Dir(dir), dir, remove.AnyOwner); err != nil {
				return err
			}
		}
	}
	return nil
}

var instanceName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// checkInstance refuses whatever the runner would not have made: a sweep of a
// wrong directory cannot be undone.
func checkInstance(name string, dirs ...string) error {
	if !instanceName.MatchString(name) || len(name) > 63 {
		return fmt.Errorf("%q is not an instance name (lower-case letters, digits and hyphens, at most 63)", name)
	}
	for _, dir := range dirs {
		switch {
		case !filepath.IsAbs(dir):
			return fmt.Errorf("directory %q of instance %s is not an absolute path", dir, name)
		case dir != filepath.Clean(dir):
			return fmt.Errorf("directory %q of instance %s is not a clean path", dir, name)
		case filepath.Dir(dir) == filepath.Dir(filepath.Dir(dir)):
			return fmt.Errorf("directory %q of instance %s is the root of the machine or directly below it", dir, name)
		}
	}
	return nil
}
