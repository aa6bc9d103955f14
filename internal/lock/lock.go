// Package lock holds files for one process at a time, by locks that the kernel drops when the process ends.
package lock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrHeld is a lock that another process has, or another opening of the file in this one.
var ErrHeld = errors.New("another process holds the lock")

// again is how often Wait tries.
const again = 5 * time.Millisecond

// Try locks a file or a directory until it is closed (flock(2)), or returns [ErrHeld].
func Try(f *os.File) error { return try(f, unix.LOCK_EX) }

// Free is [ErrHeld] while someone has the lock. It does not keep others from looking at the same time.
func Free(f *os.File) error { return try(f, unix.LOCK_SH) }

// Wait locks as Try does, and waits for others until the context ends; waiting, if not nil, is called
// before it waits. flock(2) itself waits for ever, for a process that is stopped too.
func Wait(ctx context.Context, f *os.File, waiting func()) error {
	for waited := false; ; waited = true {
		err := Try(f)
		if !errors.Is(err, ErrHeld) {
			return err
		}
		if !waited && waiting != nil {
			waiting()
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return errors.Join(ErrHeld, context.Cause(ctx))
		}
	}
}

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
