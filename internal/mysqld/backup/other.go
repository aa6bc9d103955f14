//go:build !linux

package backup

import (
	"errors"
	"fmt"
)

// Data are restored into a server of this host, which needs Linux.

func inUse(dir string) error {
	return fmt.Errorf("ask for the lock of ibdata1 in %s: a server on this host needs Linux: %w", dir, errors.ErrUnsupported)
}

// Free is not known.
func Free(string) (bytes int64, ok bool) { return 0, false }

// Reflinks are not looked for.
func Reflinks(string, string) bool { return false }
