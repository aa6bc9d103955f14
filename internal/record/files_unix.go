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

// openLock opens what is locked of a run: its directory.
func openLock(dir string) (*os.File, error) { return os.Open(dir) }
