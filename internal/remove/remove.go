// Package remove deletes directory trees that tare created, after checking that the path
// can be one of them.
package remove

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// AnyOwner among the owners says that dir may have been handed over to a user
// whom the caller no longer knows. The directory that holds it must then be
// writable by the caller alone, so that no other user can have put dir there.
const AnyOwner = -1

const separator = string(filepath.Separator)

// Tree removes dir and everything in it. dir must lie below root, and both must
// be absolute paths without "." and "..". A directory that does not exist is no
// error, so Tree can be repeated.
//
// It refuses a path that tare cannot have made: one with a symbolic link between
// root and dir, dir itself included, and one that belongs to another user than
// the caller. owners are users that dir itself may belong to as well: the
// server's, whose directories are handed over. Nothing is removed while
// something is mounted on dir or below it, because what is mounted there is not
// tare's. root itself may be reached through links: it is where the user says.
//
// Everything is opened relative to root (openat(2), by [os.Root]), so a link
// that somebody puts there between the check and the removal is not followed.
func Tree(root, dir string, owners ...int) error {
	return remove(root, dir, owners, func(r *os.Root, name string) error { return r.RemoveAll(name) })
}

// Contents removes everything in dir and leaves dir, under the conditions of Tree.
func Contents(root, dir string, owners ...int) error {
	return remove(root, dir, owners, func(r *os.Root, name string) error {
		d, err := r.Open(name)
		if err != nil {
			return err
		}
		names, err := d.Readdirnames(-1)
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
		for _, entry := range names {
			if err := r.RemoveAll(filepath.Join(name, entry)); err != nil {
				return err
			}
		}
		return nil
	})
}

// remove checks that dir can be a directory of tare's, and then removes by do, which gets its name
// below root.
func remove(root, dir string, owners []int, do func(r *os.Root, name string) error) error {
	name, err := below(root, dir)
	if err != nil {
		return fmt.Errorf("remove directory: %w", err)
	}
	r, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove directory %s: %w", dir, err)
	}
	defer func() { _ = r.Close() }() // only a handle
	err = ownedPath(r, name, append(owners, os.Geteuid()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("remove directory %s: %w", dir, err)
	}
	if err := unmounted(root, name); err != nil {
		return fmt.Errorf("remove directory %s: %w", dir, err)
	}
	if err := do(r, name); err != nil {
		return fmt.Errorf("remove directory %s: %w", dir, err)
	}
	return nil
}

// below returns dir as a path relative to root.
func below(root, dir string) (string, error) {
	for _, path := range []string{root, dir} {
		switch {
		case !filepath.IsAbs(path):
			return "", fmt.Errorf("%q is not an absolute path", path)
		case path != filepath.Clean(path):
			return "", fmt.Errorf("%q is not a clean path", path)
		}
	}
	name, ok := strings.CutPrefix(dir, strings.TrimSuffix(root, separator)+separator)
	if !ok || name == "" {
		return "", fmt.Errorf("%q is not below %q", dir, root)
	}
	if above := filepath.Dir(dir); above == filepath.Dir(above) {
		return "", fmt.Errorf("%q is directly below the root of the machine", dir)
	}
	return name, nil
}

// ownedPath checks every directory from root down to name. Those above name must
// belong to the caller, name itself to one of owners.
func ownedPath(r *os.Root, name string, owners []int) error {
	elements := strings.Split(name, separator)
	for i := range elements {
		path := filepath.Join(elements[:i+1]...)
		info, err := r.Lstat(path)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is %s, not a directory", path, kind(info.Mode()))
		}
		allowed := []int{os.Geteuid()}
		if i == len(elements)-1 {
			allowed = owners
		}
		if slices.Contains(allowed, AnyOwner) {
			return exclusive(r, filepath.Dir(path))
		}
		if uid := Owner(info); !slices.Contains(allowed, uid) {
			return fmt.Errorf("%s belongs to user %d, not to user %d", path, uid, os.Geteuid())
		}
	}
	return nil
}

// exclusive checks that only the caller can make files in a directory.
func exclusive(r *os.Root, dir string) error {
	info, err := r.Stat(dir)
	switch {
	case err != nil:
		return err
	case Owner(info) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d, not to user %d", filepath.Join(r.Name(), dir), Owner(info), os.Geteuid())
	case OthersWrite(info):
		return fmt.Errorf("%s can be written by other users (mode %v)", filepath.Join(r.Name(), dir), info.Mode().Perm())
	}
	return nil
}

func kind(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a symbolic link"
	}
	return "a file"
}

// unmounted checks that nothing is mounted on the directory or below it. The
// kernel names mount points without symbolic links.
func unmounted(root, name string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(real, name)
	mounts, err := mountinfo.GetMounts(func(m *mountinfo.Info) (skip, stop bool) {
		return m.Mountpoint != dir && !strings.HasPrefix(m.Mountpoint, dir+separator), false
	})
	if err != nil {
		return fmt.Errorf("list mounts: %w", err)
	}
	if len(mounts) > 0 {
		return fmt.Errorf("%s is still mounted", mounts[0].Mountpoint)
	}
	return nil
}
