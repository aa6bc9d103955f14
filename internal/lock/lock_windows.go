package lock

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

const (
	exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
	shared    = 0
)

// try locks the byte after the last one that a file can have: what is locked, others cannot
// read or write (LockFileEx).
func try(f *os.File, how uint32) error {
	at := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrHeld
	case err != nil:
		return &os.PathError{Op: "LockFileEx", Path: f.Name(), Err: err}
	}
	return nil
}
