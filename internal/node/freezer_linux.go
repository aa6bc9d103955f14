package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Freezer is a cgroup of version 1's freezer hierarchy and of no other: a process in it
// can be frozen, and is for CPU, memory and I/O where it was.
type Freezer struct{ freezer }

// NewFreezer puts a process of an instance into one. It is nil where the machine has no
// such hierarchy, or this process no permission to make cgroups. Version 2 has no
// hierarchy of its own for freezing: there a cgroup divides CPU time as well.
func NewFreezer(instance string, pid int) (*Freezer, error) {
	h, err := findHierarchy()
	if err != nil || h.unified {
		return nil, nil //nolint:nilerr // a machine without cgroups has none to freeze by
	}
	dir := h.file("freezer", "/"+treePrefix+instance+".process-"+strconv.Itoa(pid), "")
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "cgroup.procs")); err != nil {
		return nil, nil //nolint:nilerr // no freezer is mounted
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) { // as in Docker
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("make cgroup: %w", err)
	}
	f := &Freezer{freezer{dir: dir}}
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("put process %d into cgroup %s: %w", pid, dir, err), os.Remove(dir))
	}
	return f, nil
}

// HasFreezer tells whether NewFreezer finds one here.
func HasFreezer() bool {
	h, err := findHierarchy()
	if err != nil || h.unified {
		return false
	}
	procs := h.file("freezer", "/"+treePrefix, "")
	return unix.Access(filepath.Join(filepath.Dir(procs), "cgroup.procs"), unix.W_OK) == nil
}

// Freeze stops the process, all of its threads.
func (f *Freezer) Freeze() error { return f.freeze() }

// Thaw lets it go on.
func (f *Freezer) Thaw() error { return f.thaw() }

// Remove removes the cgroup, once the kernel is done with the process that has ended; nil
// is none to remove.
func (f *Freezer) Remove() error {
	if f == nil {
		return nil
	}
	return removeCgroups(context.Background(), func() (left string, err error) {
		busy, err := removeCgroup(f.dir)
		if busy {
			left = f.dir
		}
		return left, err
	})
}
