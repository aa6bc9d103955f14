// Package lock holds files for one process at a time, by locks that the kernel drops when the process ends.
package lock

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrHeld is a lock that another process has, or another opening of the file in this one.
var ErrHeld = errors.New("another process holds the lock")

// again is how often Wait tries.
const again = 5 * time.Millisecond

// Try locks a file or a directory until it is closed (flock(2); on Windows a file, LockFileEx), or returns [ErrHeld].
func Try(f *os.File) error { return try(f, exclusive) }

// Free is [ErrHeld] while someone has the lock. It does not keep others from looking at the same time.
func Free(f *os.File) error { return try(f, shared) }

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
