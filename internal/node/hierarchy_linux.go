package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/cgroups/v3"
	"github.com/containerd/cgroups/v3/cgroup1"
	"github.com/containerd/cgroups/v3/cgroup2"
	"github.com/prometheus/procfs"
)

// hierarchy is how this machine's cgroups are mounted.
type hierarchy struct {
	unified bool   // cgroup v2 holds the controllers
	root    string // where the hierarchies are mounted
	// mounts are the roots of all hierarchies, those without controllers (a v2
	// beside v1 controllers, systemd's own) included: a runtime makes cgroups in
	// them too.
	mounts []string
}

// findHierarchy detects v1, v2, or both. On a hybrid machine, v1 holds the
// controllers and v2 has none, so it counts as v1; kubelet and runc see it the
// same way.
func findHierarchy() (hierarchy, error) {
	mode := cgroups.Mode()
	if mode == cgroups.Unavailable {
		return hierarchy{}, errors.New("find cgroups: nothing is mounted at /sys/fs/cgroup")
	}
	mounts, err := procfs.GetMounts()
	if err != nil {
		return hierarchy{}, fmt.Errorf("find cgroups: %w", err)
	}
	h := hierarchy{unified: mode == cgroups.Unified, root: "/sys/fs/cgroup"}
	for _, m := range mounts {
		if m.FSType == "cgroup" || m.FSType == "cgroup2" {
			h.mounts = append(h.mounts, m.MountPoint)
		}
	}
	return h, h.hasControllers()
}

// hasControllers asks for the controllers without which no pod is what it is
// meant to be. Some distributions turn memory off by default (Raspberry Pi OS).
func (h hierarchy) hasControllers() error {
	var missing []string
	enabled, _ := os.ReadFile(filepath.Join(h.root, "cgroup.controllers")) // there is none on v1
	for _, c := range []string{"cpu", "memory"} {
		_, err := os.Stat(filepath.Join(h.root, c, "cgroup.procs"))
		if (h.unified && !slices.Contains(strings.Fields(string(enabled)), c)) || (!h.unified && err != nil) {
			missing = append(missing, c)
		}
	}
	if missing != nil {
		return fmt.Errorf("find cgroups: the kernel offers no controller %s at %s; see cgroup_enable= in its boot options", strings.Join(missing, ", "), h.root)
	}
	return nil
}

// make creates the cgroup of a level in every hierarchy and writes its values;
// one that exists gets the values.
func (h hierarchy) make(l level) error {
	var err error
	if h.unified {
		weight := LinearWeight
		if l.limits.container {
			weight = QuadraticWeight
		}
		_, err = cgroup2.NewManager(h.root, l.path, l.limits.unified(h.swap(), weight))
	} else {
		_, err = cgroup1.New(cgroup1.StaticPath(l.path), l.limits.oci(h.swap()))
	}
	if err != nil {
		return fmt.Errorf("make cgroup %s: %w", l.path, err)
	}
	return nil
}

// swap says whether the kernel accounts for swap per cgroup. On v2 only cgroups
// below the root have the file, so any child of it answers.
func (h hierarchy) swap() bool {
	if !h.unified {
		_, err := os.Stat(filepath.Join(h.root, "memory/memory.memsw.limit_in_bytes"))
		return err == nil
	}
	found, _ := filepath.Glob(filepath.Join(h.root, "*/memory.swap.max"))
	return len(found) > 0
}

// enter moves a process into a cgroup that exists.
func (h hierarchy) enter(path string, pid int) error {
	var err error
	if h.unified {
		var m *cgroup2.Manager
		if m, err = cgroup2.Load(path, cgroup2.WithMountpoint(h.root)); err == nil {
			err = m.AddProc(uint64(pid))
		}
	} else {
		var c cgroup1.Cgroup
		if c, err = cgroup1.Load(cgroup1.StaticPath(path)); err == nil {
			err = c.Add(cgroup1.Process{Pid: pid})
		}
	}
	if err != nil {
		return fmt.Errorf("put process %d into cgroup %s: %w", pid, path, err)
	}
	return nil
}

// file is where a controller's file of a cgroup lies.
func (h hierarchy) file(controller, path, name string) string {
	if h.unified {
		return filepath.Join(h.root, path, name)
	}
	return filepath.Join(h.root, controller, path, name)
}

// directories are all directories of a cgroup and its descendants in all
// hierarchies, each after those below it.
func (h hierarchy) directories(path string) ([]string, error) {
	var all []string
	for _, mount := range h.mounts {
		var found []string
		err := filepath.WalkDir(filepath.Join(mount, path), func(at string, d fs.DirEntry, err error) error {
			// A cgroup that goes away while we look is none to remove.
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && d.IsDir() {
				found = append(found, at)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("walk cgroup %s: %w", path, err)
		}
		slices.Reverse(found)
		all = append(all, found...)
	}
	return all, nil
}

// processes are the ids of all processes in a cgroup and its descendants, in
// any hierarchy.
func (h hierarchy) processes(path string) ([]int, error) {
	dirs, err := h.directories(path)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, d := range dirs {
		b, err := os.ReadFile(filepath.Join(d, "cgroup.procs"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list processes of cgroup %s: %w", d, err)
		}
		for _, f := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}
