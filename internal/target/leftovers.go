package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/moby/sys/mountinfo"
	"github.com/prometheus/procfs"
)

// InstanceVariable is set in the environment of every process that a target
// starts, to the instance's name. Environments are inherited, so a process is
// found by it even when its parent is long gone.
const InstanceVariable = "TARE_INSTANCE"

// Leftovers is everything on this machine that belongs to one instance.
type Leftovers struct {
	Processes []Process
	// Mounts are mount points, the deepest first.
	Mounts []string
	// Loops are loop devices before a file of the instance's.
	Loops []string
	// Cgroups are directories in any hierarchy, the deepest first.
	Cgroups []string
	// Namespaces are the files that keep a named network namespace.
	Namespaces []string
	// Paths are the instance's own directories, where they exist.
	Paths []string
}

// Process is one process. PIDs are used again, so the start time, in clock
// ticks since boot (proc_pid_stat(5), field 22), belongs to its identity.
type Process struct {
	PID     int
	Start   uint64
	Command string
}

// Running tells whether anything of the instance runs or is set up. Its files
// alone do not count.
func (l Leftovers) Running() bool {
	return len(l.Processes)+len(l.Mounts)+len(l.Loops)+len(l.Cgroups)+len(l.Namespaces) > 0
}

// String lists what there is, one thing a line; "" when there is nothing.
func (l Leftovers) String() string {
	var b strings.Builder
	for _, p := range l.Processes {
		fmt.Fprintf(&b, "process %d (%s)\n", p.PID, p.Command)
	}
	for _, kind := range []struct {
		name  string
		paths []string
	}{
		{"mount", l.Mounts}, {"loop device", l.Loops}, {"cgroup", l.Cgroups}, {"network namespace", l.Namespaces}, {"path", l.Paths},
	} {
		for _, path := range kind.paths {
			fmt.Fprintf(&b, "%s %s\n", kind.name, path)
		}
	}
	return b.String()
}

// Scan finds what an instance has on this machine: processes by their
// environment or cgroup, mounts below its directories, cgroups of its name in
// every hierarchy, named network namespaces. It changes nothing.
func Scan(name, dir, runDir string) (Leftovers, error) {
	if err := checkInstance(name, dir, runDir); err != nil {
		return Leftovers{}, err
	}
	var l Leftovers
	var errs [5]error
	l.Processes, errs[0] = processes(name)
	l.Mounts, errs[1] = mounts(name, dir, runDir)
	l.Cgroups, errs[2] = cgroups(name)
	l.Namespaces, errs[3] = namespaces(name)
	l.Loops, errs[4] = loops(dir, runDir)
	for _, path := range []string{dir, runDir} {
		if _, err := os.Lstat(path); err == nil {
			l.Paths = append(l.Paths, path)
		}
	}
	return l, errors.Join(errs[:]...)
}

// belongs tells whether a cgroup or namespace is the instance's: "tare-NAME",
// or that with a suffix that cannot be part of a name ("tare-NAME.slice"). A
// bare prefix would not do: instance 1-2 must not take down instance 1-20.
func belongs(element, name string) bool {
	rest, ok := strings.CutPrefix(element, "tare-"+name)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "._:@"))
}

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func withinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// resolved are the directories as the kernel names them in its lists of mounts and
// loop devices, without symbolic links; one that is gone stays as it is.
func resolved(dirs []string) (all []string) {
	for _, dir := range dirs {
		if path, err := filepath.EvalSymlinks(dir); err == nil {
			dir = path
		}
		all = append(all, dir)
	}
	return all
}

// processes lists the instance's processes, without this one and without the
// dead ones that only wait for their parent.
func processes(name string) ([]Process, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var found []Process
	for _, p := range all {
		stat, err := p.Stat()
		if p.PID == os.Getpid() || err != nil || hasEnded(stat) { // gone by now, perhaps
			continue
		}
		if processOf(p, name) || stat.State == zombie && threadOf(p.PID, name) {
			found = append(found, Process{PID: p.PID, Start: stat.Starttime, Command: stat.Comm})
		}
	}
	return found, nil
}

// zombie is the state of a thread that has ended and waits for its parent (proc_pid_stat(5)).
const zombie = "Z"

// hasEnded tells whether a process has ended with all of its threads. While others end, the first
// one may already be a zombie, and what the process has open, listens on and has mounted is in use
// until the last one has ended (do_exit in kernel/exit.c).
func hasEnded(stat procfs.ProcStat) bool {
	return stat.State == "X" || stat.State == zombie && stat.NumThreads <= 1
}

// threadOf tells whether a thread of a process is the instance's. A zombie has no environment left.
func threadOf(pid int, name string) bool {
	threads, err := procfs.AllThreads(pid)
	return err == nil && slices.ContainsFunc(threads, func(t procfs.Proc) bool { return processOf(t, name) })
}

func processOf(p procfs.Proc, name string) bool {
	if env, err := p.Environ(); err == nil {
		for _, v := range env {
			if v == InstanceVariable+"="+name {
				return true
			}
		}
	}
	groups, err := p.Cgroups()
	if err != nil {
		return false
	}
	for _, g := range groups {
		for _, element := range strings.Split(g.Path, "/") {
			if belongs(element, name) {
				return true
			}
		}
	}
	return false
}

// mounts lists the mount points below the directories, the deepest first, as
// often as something is mounted on them.
func mounts(name string, dirs ...string) ([]string, error) {
	dirs = resolved(dirs)
	infos, err := mountinfo.GetMounts(nil)
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	var points []string
	for _, m := range infos {
		if withinAny(m.Mountpoint, dirs) || belongs(filepath.Base(m.Mountpoint), name) {
			points = append(points, m.Mountpoint)
		}
	}
	deepestFirst(points)
	return points, nil
}

// loops lists the loop devices before files below the directories.
func loops(dirs ...string) ([]string, error) {
	files, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return nil, fmt.Errorf("list loop devices: %w", err)
	}
	dirs = resolved(dirs)
	var found []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil { // detached while we looked
			continue
		}
		// The kernel says " (deleted)" after the name of a file that is gone.
		if withinAny(strings.TrimSpace(string(b)), dirs) {
			found = append(found, filepath.Join("/dev", filepath.Base(filepath.Dir(filepath.Dir(file)))))
		}
	}
	return found, nil
}

// cgroups lists the instance's cgroups and all below them in every hierarchy,
// version 1 and 2, the deepest first.
func cgroups(name string) ([]string, error) {
	hierarchies, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return nil, fmt.Errorf("list cgroup hierarchies: %w", err)
	}
	var found []string
	for _, h := range hierarchies {
		err := filepath.WalkDir(h.Mountpoint, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // removed while we looked
				return nil
			case err != nil:
				return err
			}
			if d.IsDir() && inInstance(strings.TrimPrefix(path, h.Mountpoint), name) {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return found, fmt.Errorf("walk cgroups: %w", err)
		}
	}
	deepestFirst(found)
	return found, nil
}

func inInstance(path, name string) bool {
	for _, element := range strings.Split(path, "/") {
		if belongs(element, name) {
			return true
		}
	}
	return false
}

// namespaces lists the files of the instance's named network namespaces (ip-netns(8)).
func namespaces(name string) ([]string, error) {
	paths, err := filepath.Glob("/run/netns/tare-" + name + "*")
	return slices.DeleteFunc(paths, func(path string) bool { return !belongs(filepath.Base(path), name) }), err
}

func deepestFirst(paths []string) {
	sort.SliceStable(paths, func(i, j int) bool {
		return strings.Count(paths[i], "/") > strings.Count(paths[j], "/")
	})
}
