// The nodes' cgroups: tarelab/NODE in every hierarchy of cgroup v1, or in the one of v2.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const cgroups = "/sys/fs/cgroup"

// unified tells whether the machine has cgroup v2 alone (cgroups(7)).
func unified() bool {
	_, err := os.Stat(filepath.Join(cgroups, controllersFile))
	return err == nil
}

// controllersFile lists the controllers of a cgroup of v2, subtreeFile those of its children.
const (
	controllersFile = "cgroup.controllers"
	subtreeFile     = "cgroup.subtree_control"
)

// hierarchies are the roots of all hierarchies that are mounted.
func hierarchies() ([]string, error) {
	if unified() {
		return []string{cgroups}, nil
	}
	entries, err := os.ReadDir(cgroups)
	if err != nil {
		return nil, fmt.Errorf("look for cgroups: %w", err)
	}
	var tops []string
	for _, e := range entries {
		top := filepath.Join(cgroups, e.Name())
		if _, err := os.Stat(filepath.Join(top, "cgroup.procs")); err == nil {
			tops = append(tops, top)
		}
	}
	return tops, nil
}

// joinCgroups makes the node's cgroup in every hierarchy, and puts the agents
// into one below it: a pod's is beside them, as on a machine of its own.
func joinCgroups(n node) error {
	tops, err := hierarchies()
	if err != nil {
		return err
	}
	for _, at := range tops {
		for _, part := range []string{prefix, n.name, "system"} {
			below := filepath.Join(at, part)
			if err := errors.Join(passControllers(at), makeDirs(below), passCPUs(at, below)); err != nil {
				return err
			}
			at = below
		}
		if err := os.WriteFile(filepath.Join(at, "cgroup.procs"), []byte("1"), 0o644); err != nil {
			return fmt.Errorf("join cgroup: %w", err)
		}
	}
	return nil
}

// passControllers gives the children of a cgroup of v2 all controllers that it has. In v1 there
// is nothing to give (Documentation/admin-guide/cgroup-v2.rst, "Enabling and Disabling").
func passControllers(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, controllersFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read controllers: %w", err)
	}
	for name := range strings.FieldsSeq(string(b)) {
		if err := os.WriteFile(filepath.Join(dir, subtreeFile), []byte("+"+name), 0o644); err != nil {
			return fmt.Errorf("give controller %s to the cgroups below %s: %w", name, dir, err)
		}
	}
	return nil
}

// passCPUs gives a new cpuset of v1 the CPUs and memory nodes of its parent: it has none until it is
// given some (Documentation/admin-guide/cgroup-v1/cpusets.rst). In v2 it has its parent's.
func passCPUs(from, to string) error {
	if unified() {
		return nil
	}
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(from, file))
		if errors.Is(err, fs.ErrNotExist) { // another controller
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, file), value, 0o644)
		}
		if err != nil {
			return fmt.Errorf("make cgroups: %w", err)
		}
	}
	return nil
}

// removeCgroups removes a cgroup and all below it in every hierarchy, the
// deepest first. What still runs in them is ended.
func removeCgroups(name string) error {
	tops, err := hierarchies()
	if err != nil {
		return err
	}
	for _, top := range tops {
		var dirs []string
		err := filepath.WalkDir(filepath.Join(top, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("look for cgroups: %w", err)
		}
		slices.Reverse(dirs)
		for _, dir := range dirs {
			if err := removeCgroup(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCgroup waits half a minute: what was killed is in it until the kernel has
// taken it down, which on a busy machine takes seconds.
func removeCgroup(dir string) error {
	var err error
	for range 1500 {
		if err = syscall.Rmdir(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		b, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // gone, or its error is rmdir's
		for word := range strings.FieldsSeq(string(b)) {
			var pid int
			if _, err := fmt.Sscan(word, &pid); err == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended; rmdir tells
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("remove cgroup %s: %w", dir, err)
}
