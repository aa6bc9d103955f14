package record

import (
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/lock"
)

// ErrInUse is a run that another process carries out.
var ErrInUse = errors.New("another tare is executing this run")

// Lock keeps other processes from carrying out the run in dir until unlock is called: two
// would replace each other's trials. The lock is the kernel's, on the directory itself
// (flock(2); on Windows on a file in it), and ends with the process however it ends. Reading a run takes none.
func Lock(dir string) (unlock func(), err error) {
	f, err := openLock(dir)
	if err != nil {
		return nil, atFault(fmt.Errorf("lock run: %w", err))
	}
	err = lock.Try(f)
	if errors.Is(err, lock.ErrHeld) {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(atFault(fmt.Errorf("lock run %s: %w", dir, err)), f.Close())
	}
	return func() { f.Close() }, nil
}
