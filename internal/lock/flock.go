//go:build unix

package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	exclusive = unix.LOCK_EX
	shared    = unix.LOCK_SH
)

func try(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		case err != nil:
			return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}
