package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/node"
)

// steps are in this order: a process holds its mounts and cgroups, and a mount must be
// gone before anything below it is removed.
func (i instance) steps() []step {
	return []step{i.kill, i.unmount, i.detach, i.removeCgroups, i.removeNamespaces}
}

// endPatience is how long a sweep waits for what it has killed before it looks again.
const endPatience = time.Second

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
	if len(found) > 0 { // a server has one in each hierarchy of version 1, and in each of its containers
		i.say("remove the cgroups of %s", i.name)
	}
	for _, group := range found {
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
