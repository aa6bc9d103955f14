package runner

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
)

// cloneTree copies a prepared data directory, so that every trial begins with
// the same bytes. Files share their blocks where the file system can (FICLONE,
// ioctl_ficlone(2)) and are copied inside the kernel elsewhere. What was copied
// is written back before it returns: writeback of the copy would otherwise
// disturb the first seconds of the trial. It returns the names of the files that share
// all their blocks with the original's, and so are the same.
func cloneTree(from, to string) (shared map[string]bool, err error) {
	shared = map[string]bool{}
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		same, err := cloneEntry(path, filepath.Join(to, rel), d)
		if same {
			shared[rel] = true
		}
		return err
	})
	if err == nil {
		err = syncFileSystem(to)
	}
	if err != nil {
		return nil, record.CopyData.Wrap(err)
	}
	return shared, nil
}

func cloneEntry(from, to string, d fs.DirEntry) (shared bool, err error) {
	info, err := d.Info()
	if err != nil {
		return false, err
	}
	switch {
	case d.IsDir():
		err = os.MkdirAll(to, info.Mode().Perm())
	case d.Type()&fs.ModeSymlink != 0:
		var link string
		if link, err = os.Readlink(from); err == nil {
			err = os.Symlink(link, to)
		}
	case d.Type().IsRegular():
		shared, err = cloneFile(from, to, info.Mode().Perm())
	default: // sockets and pipes of a server that is gone
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return shared, keepOwner(to, info)
}

func keepOwner(path string, info fs.FileInfo) error {
	if os.Geteuid() != 0 {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return err
	}
	want := ownerOf(info)
	if st.Uid == want.Uid && st.Gid == want.Gid {
		return nil
	}
	return os.Lchown(path, int(want.Uid), int(want.Gid))
}

func cloneFile(from, to string, mode fs.FileMode) (shared bool, err error) {
	src, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	if unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil {
		return true, nil
	}
	_, err = io.Copy(dst, src) // copy_file_range(2) underneath
	return false, err
}

func syncFileSystem(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}

func ownerOf(info fs.FileInfo) syscall.Stat_t {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return *st
	}
	return syscall.Stat_t{}
}
