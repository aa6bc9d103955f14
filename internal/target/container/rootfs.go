package container

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// layers are the directories of a container's root file system: overlayfs over
// the distribution's, with a writable layer of the instance's own, as a
// container engine makes it.
type layers struct {
	lower, upper, work, merged string
}

func newLayers(root, dir string) layers {
	return layers{
		lower: root, upper: filepath.Join(dir, "upper"),
		work: filepath.Join(dir, "work"), merged: filepath.Join(dir, "rootfs"),
	}
}

// options are those of the mount. Backslash, colon and comma have a meaning in
// them (Documentation/filesystems/overlayfs.rst).
func (l layers) options() string {
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `,`, `\,`)
	return "lowerdir=" + escape.Replace(l.lower) + ",upperdir=" + escape.Replace(l.upper) + ",workdir=" + escape.Replace(l.work)
}

// mount makes the directories and mounts the root file system.
func (l layers) mount() error {
	for _, dir := range []string{l.upper, l.work, l.merged} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("make layer: %w", err)
		}
		// The upper directory's mode becomes that of "/", whatever the umask: the
		// server's user has to get through.
		if err := os.Chmod(dir, 0o755); err != nil {
			return fmt.Errorf("make layer: %w", err)
		}
	}
	return l.mountOverlay()
}

// mountOverlay mounts the layers, whose directories exist.
func (l layers) mountOverlay() error {
	if err := unix.Mount("overlay", l.merged, "overlay", 0, l.options()); err != nil {
		return record.MountOverlay.Wrap(err, l.lower, l.upper)
	}
	return nil
}

// unmount may be called when nothing is mounted. A busy mount is tried again,
// then detached: gone from the tree now, and from the kernel when its last user
// leaves. The mount point goes too: an overlay that another mount namespace has a copy of
// keeps the volume below it, as a volume keeps its loop device.
func unmount(path string) error {
	for range 50 {
		err := unix.Unmount(path, unix.UMOUNT_NOFOLLOW)
		switch {
		case err == nil, errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
			target.RemoveMountPoint(path)
			return nil
		case !errors.Is(err, unix.EBUSY):
			return fmt.Errorf("unmount %s: %w", path, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := unix.Unmount(path, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", path, err)
	}
	target.RemoveMountPoint(path)
	return nil
}

// submounts are mounts below a root file system that hold programs, libraries or
// configuration. overlayfs shows its lower directory without what is mounted on
// it, so a host with a /usr of its own would have none in the container.
func submounts(root, server string, mounts []*mountinfo.Info) []string {
	var inside []string
	for _, m := range mounts {
		path, ok := strings.CutPrefix(m.Mountpoint, strings.TrimSuffix(root, "/")+"/")
		if path = "/" + path; !ok || path == "/" {
			continue
		}
		top, _, _ := strings.Cut(path[1:], "/")
		system := slices.Contains([]string{"usr", "bin", "sbin", "lib", "lib64", "opt", "etc"}, top)
		if system || strings.HasPrefix(server, path+"/") {
			inside = append(inside, path)
		}
	}
	return inside
}
