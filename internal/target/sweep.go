package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/remove"
)

// How long one kind of leftover may take to go: a killed process to exit, a
// cgroup to let go of its dead, a loop device to write what it holds. It takes
// milliseconds on an idle machine; on a busy one, with a limit on the device's
// bandwidth, a loop device took more than 15 s.
const sweepPatience = 90 * time.Second

// endPatience is how long a sweep waits for what it has killed before it looks again.
const endPatience = time.Second

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
	// In this order: a process holds its mounts and cgroups, and a mount must be
	// gone before anything below it is removed.
	for n, step := range []step{i.kill, i.unmount, i.detach, i.removeCgroups, i.removeNamespaces} {
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

// kill has something left until no process is found, and waits for what it kills.
func (i instance) kill() (left, err error) {
	found, err := processes(i.name)
	if len(found) == 0 || err != nil {
		return nil, err
	}
	groups, err := cgroups(i.name)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		// SIGKILL does not reach a process that a version 1 freezer holds.
		thaw(group)
		if err := node.Unthrottle(group); err != nil { // it would die as slowly as its disk is
			return err, nil
		}
	}
	var errs []error
	for _, p := range found {
		i.say("kill process %d (%s)", p.PID, p.Command)
		if err := p.kill(); err != nil {
			errs = append(errs, err)
		}
	}
	end := time.Now().Add(endPatience)
	for _, p := range found {
		p.awaitEnd(time.Until(end))
	}
	if len(errs) == 0 {
		errs = append(errs, errors.New("killed processes do not end:\n"+Leftovers{Processes: found}.String()))
	}
	return errors.Join(errs...), nil
}

// kill ends the process if it is still the one that was found. FindProcess
// holds a pidfd (pidfd_open(2)), so once the start time agrees it cannot
// become another process's number in between.
func (p Process) kill() error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return fmt.Errorf("open process %d: %w", p.PID, err)
	}
	defer func() { _ = handle.Release() }() // nothing but our copy of it is given up
	if start, err := startTicks(p.PID); err != nil || start != p.Start {
		return nil // ended in the meantime
	}
	if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill process %d: %w", p.PID, err)
	}
	return nil
}

// awaitEnd waits until the process has ended with all of its threads, for this long at most: the
// next look at what is left finds it if it has not.
func (p Process) awaitEnd(patience time.Duration) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return // it has ended
	}
	defer unix.Close(fd)
	// Readable when the last thread has ended (pidfd_open(2)). A signal that interrupts only shortens it.
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, max(0, int(patience.Milliseconds())))
}

// thaw opens both kinds of freezer; a cgroup that is in neither has no such file.
func thaw(group string) {
	for file, value := range map[string]string{"freezer.state": "THAWED", "cgroup.freeze": "0"} {
		path := filepath.Join(group, file)
		if _, err := os.Stat(path); err == nil {
			// An error shows itself: the process stays.
			_ = os.WriteFile(path, []byte(value), 0)
		}
	}
}

func (i instance) unmount() (left, err error) {
	found, err := mounts(i.name, i.dir, i.runDir)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, point := range found {
		i.say("unmount %s", point)
		err := unix.Unmount(point, unix.UMOUNT_NOFOLLOW)
		if errors.Is(err, unix.EBUSY) {
			// Someone's working directory, say. Detached, the mount is gone from
			// the tree now and from the kernel when its last user leaves.
			err = unix.Unmount(point, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("unmount %s: %w", point, err))
			continue
		}
		RemoveMountPoint(point)
	}
	return errors.Join(errs...), nil
}

// RemoveMountPoint removes the directory that something was mounted on. The kernel then
// unmounts it in all other mount namespaces as well (detach_mounts in vfs_rmdir, fs/namei.c):
// whoever made a namespace meanwhile has a copy of the mount, which keeps its loop device
// for as long as that process runs. A directory with files, or a file, stays.
func RemoveMountPoint(dir string) {
	_ = unix.Rmdir(dir) // ENOTEMPTY, ENOTDIR: removed later, with what is in it
}

// detach has something left until no loop device is found. One whose mount has just gone
// frees itself a moment later.
func (i instance) detach() (left, err error) {
	found, err := loops(i.dir, i.runDir)
	if len(found) == 0 || err != nil {
		return nil, err
	}
	var errs []error
	for _, device := range found {
		i.say("detach loop device %s", device)
		fd, err := unix.Open(device, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			errs = append(errs, fmt.Errorf("open loop device %s: %w", device, err))
			continue
		}
		if err := unix.IoctlSetInt(fd, unix.LOOP_CLR_FD, 0); err != nil && !errors.Is(err, unix.ENXIO) {
			errs = append(errs, fmt.Errorf("detach loop device %s: %w", device, err))
		}
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(append(errs, errors.New("loop devices do not detach: "+strings.Join(found, ", ")))...), nil
}

func (i instance) removeCgroups() (left, err error) {
	found, err := cgroups(i.name)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, group := range found {
		i.say("remove cgroup %s", group)
		if err := unix.Rmdir(group); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove cgroup %s: %w", group, err))
		}
	}
	return errors.Join(errs...), nil
}

// removeNamespaces removes the files; what was mounted on them is gone.
func (i instance) removeNamespaces() (left, err error) {
	found, err := namespaces(i.name)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, path := range found {
		i.say("remove network namespace %s", path)
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...), nil
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
