package container

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/containerd/cgroups/v3"
	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// checkHost asks whether this machine and this user can run containers.
func checkHost() []error {
	if os.Geteuid() != 0 {
		return []error{errors.New("target container: only root can make cgroups and containers; run tare as root, or use target: process")}
	}
	var errs []error
	if _, err := node.NewTree("check", node.Resources{}, node.Resources{}); err != nil {
		errs = append(errs, err)
	}
	if err := cgroupsWritable(); err != nil {
		errs = append(errs, err)
	}
	if err := overlayKnown(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// cgroupsWritable refuses the read-only cgroups that a container has.
func cgroupsWritable() error {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return fmt.Errorf("list cgroup hierarchies: %w", err)
	}
	for _, m := range mounts {
		if err := unix.Access(m.Mountpoint, unix.W_OK); err != nil {
			return fmt.Errorf("write to cgroups at %s: %w; inside a container, give it its own writable cgroups, or run tare on the host", m.Mountpoint, err)
		}
	}
	return nil
}

// overlayKnown asks the kernel for overlayfs without mounting one; asking loads
// the module. Kernels before 5.2 cannot be asked, and Start will tell.
func overlayKnown() error {
	fd, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	switch {
	case err == nil:
		return unix.Close(fd)
	case errors.Is(err, unix.ENOSYS):
		return nil
	}
	return fmt.Errorf("find overlayfs, on which a container has its files: %w; load the kernel module overlay", err)
}

// findRuntime is the path of an OCI runtime, by name or the first there is.
func findRuntime(name string) (string, error) {
	names := []string{name}
	if name == "" {
		names = []string{"runc", "crun"}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New(record.NoRuntime.Say(names[0], names[0]))
}

// checkRoot asks for the server in its root file system.
func checkRoot(d mysqld.Distribution) []error {
	if _, err := os.Lstat(filepath.Join(d.Root, d.Server)); err != nil {
		return []error{fmt.Errorf("find server: %w", err)}
	}
	return nil
}

// runtimeFits refuses what the runtime itself would refuse at its start.
func runtimeFits(path string, mode cgroups.CGMode) error {
	if filepath.Base(path) == "crun" && mode == cgroups.Hybrid {
		return errors.New("runtime: crun does not run where cgroup v1 and v2 are mounted side by side, as here; write runtime: runc")
	}
	return nil
}
