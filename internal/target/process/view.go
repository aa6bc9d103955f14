package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// view is what a server sees of this host's disk.
type view struct {
	// root is the root file system it runs in.
	root string
	// private: it has a mount namespace of its own, with its directories where a
	// container has them. Otherwise it sees the host as it is.
	private bool
}

// viewOf is how this process can run a server from root.
func viewOf(root string) (view, error) {
	switch {
	case mayMount():
		for _, dir := range []string{"mnt", "proc", "dev", "tmp"} {
			if info, err := os.Lstat(filepath.Join(root, dir)); err != nil || !info.IsDir() {
				return view{}, errors.New(record.NoDirectory.Say(root, dir))
			}
		}
		return view{root: root, private: true}, nil
	case root == "/":
		return view{root: root}, nil
	}
	return view{}, errors.New(record.RootOnly.Say(root))
}

// paths are where the server sees its data, run and temporary directories.
func (v view) paths(r target.Request) (data, run, tmp string) {
	if v.private {
		return target.InsideData, target.InsideRun, target.InsideTmp
	}
	return r.DataDir, r.RunDir, r.TmpDir()
}

// enter gives the calling thread, which must be locked and die afterwards, the
// view. The mounts are in a namespace of this thread and its children: nothing
// of them is seen outside, and they are gone when the last of these ends, even
// by SIGKILL.
func (v view) enter(r target.Request) error {
	if !v.private {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS); err != nil {
		return fmt.Errorf("make mount namespace: %w", err)
	}
	// Not MS_PRIVATE: what the host unmounts is to go here, too, or its device stays
	// in use (mount_namespaces(7)).
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("keep mounts from the host: %w", err)
	}
	if v.root != "/" {
		if err := v.mountSystem(r); err != nil {
			return err
		}
	}
	return v.mountOwn(r)
}

// mountSystem makes the root file system one that a program can run in, and
// that it cannot change: it is the user's, and every arm's.
func (v view) mountSystem(r target.Request) error {
	steps := []struct {
		source, dir string
		flags       uintptr
	}{
		{v.root, "/", unix.MS_BIND | unix.MS_REC},
		{"", "/", unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY},
		{"/proc", "/proc", unix.MS_BIND | unix.MS_REC},
		{"/dev", "/dev", unix.MS_BIND | unix.MS_REC},
		{"/sys", "/sys", unix.MS_BIND | unix.MS_REC},
		{r.TmpDir(), "/tmp", unix.MS_BIND},
	}
	for _, s := range steps {
		dir := filepath.Join(v.root, s.dir)
		if _, err := os.Lstat(dir); err != nil && s.dir == "/sys" {
			continue // read by few servers, and absent from small images
		}
		if err := unix.Mount(s.source, dir, "", s.flags, ""); err != nil {
			return fmt.Errorf("mount %s in the server's view: %w", s.dir, err)
		}
	}
	return nil
}

// mountOwn mounts the instance's directories below /mnt/tare. /mnt need not
// hold such a directory, and nothing may be made there, so it is covered by a
// small file system that shows what was there before as well: this host's /mnt
// can hold a disk that the server's options name.
func (v view) mountOwn(r target.Request) error {
	mnt := filepath.Join(v.root, "mnt")
	binds := map[string]string{
		target.InsideData: r.DataDir, target.InsideRun: r.RunDir, target.InsideTmp: r.TmpDir(),
	}
	entries, err := os.ReadDir(mnt)
	if err != nil {
		return fmt.Errorf("list /mnt in the server's view: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "tare" {
			binds[filepath.Join("/mnt", e.Name())] = filepath.Join(mnt, e.Name())
		}
	}
	// Put together elsewhere and then moved: a source can lie below /mnt itself.
	if err := unix.Mount("tare", scratch(r), "tmpfs", 0, "size=64k,mode=755"); err != nil {
		return fmt.Errorf("mount /mnt in the server's view: %w", err)
	}
	for inside, source := range binds {
		dir := filepath.Join(scratch(r), strings.TrimPrefix(inside, "/mnt"))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("mount %s in the server's view: %w", inside, err)
		}
		if err := unix.Mount(source, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s in the server's view: %w", inside, err)
		}
	}
	if err := unix.Mount(scratch(r), mnt, "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("mount /mnt in the server's view: %w", err)
	}
	return nil
}

// scratch is where the server's /mnt is put together.
func scratch(r target.Request) string { return filepath.Join(r.Dir, "mnt") }
