package backup

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// inUse is an error if a server runs on a data directory: a copy of files that change would
// be inconsistent. InnoDB locks its system tablespace with a POSIX lock while it runs
// (os_file_lock in storage/innobase/os/os0file.cc).
func inUse(dir string) error {
	f, err := os.Open(filepath.Join(dir, "ibdata1"))
	if err != nil {
		return fmt.Errorf("read data directory: %w", err)
	}
	defer f.Close()
	// A read-only descriptor can ask for what a write lock would meet (fcntl(2), F_GETLK).
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		return fmt.Errorf("ask for the lock of ibdata1: %w", err)
	}
	if lock.Type != unix.F_UNLCK {
		return fmt.Errorf("process %d has locked %s/ibdata1: a server runs on this directory; shut it down, give a physical backup, or use clone", lock.Pid, dir)
	}
	return nil
}
