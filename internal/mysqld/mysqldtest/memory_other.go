//go:build !linux

package mysqldtest

import "os"

// TempDir is the machine's directory for temporary files: servers of tests run on Linux.
func TempDir() string { return os.TempDir() }
