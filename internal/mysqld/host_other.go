//go:build !linux

package mysqld

// Servers that tare starts are programs of Linux: Resolve finds none here, and nothing after it is reached.

import (
	"errors"
	"fmt"
	"syscall"
)

func runsHere() error {
	return fmt.Errorf("find server: a server on this host needs Linux: %w", errors.ErrUnsupported)
}

func confined(Distribution) *syscall.SysProcAttr { return nil }

func roomFor(string) int64 { return 0 }

func syncFileSystem(string) error { return errors.ErrUnsupported }
