//go:build unix

package record

import (
	"errors"
	"os"
	"syscall"
)

const (
	noFollow = syscall.O_NOFOLLOW
	// nonBlocking has no effect on regular files (open(2)).
	nonBlocking = syscall.O_NONBLOCK
)

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// keepOwner gives a new file the owner and the group of the one that it replaces.
func keepOwner(f *os.File, of os.FileInfo) error {
	was, known := of.Sys().(*syscall.Stat_t)
	if !known {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if is, known := info.Sys().(*syscall.Stat_t); known && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

// openLock opens what is locked of a run: its directory.
func openLock(dir string) (*os.File, error) { return os.Open(dir) }
