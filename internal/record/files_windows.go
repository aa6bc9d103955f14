package record

import (
	"os"
	"path/filepath"
)

// Windows has no such flags: making a symbolic link is a privilege, and a pipe has no name in a directory.
const (
	noFollow    = 0
	nonBlocking = 0
)

// syncDir has nothing to do: Windows does not flush directories, and NTFS writes a log of what they hold.
func syncDir(string) error { return nil }

// keepOwner has nothing to do: a new file inherits from its directory.
func keepOwner(*os.File, os.FileInfo) error { return nil }

// lockFile is locked in place of the run's directory: Windows locks files only.
const lockFile = ".lock"

// openLock opens what is locked of a run. A directory that is not there is an error, and no run is made of it.
func openLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
}
