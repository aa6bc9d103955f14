//go:build unix

package remove

import (
	"io/fs"
	"syscall"
)

// OthersWrite says that users besides its owner can write to a file, or make files in a directory.
func OthersWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// Owner is the user to whom a file belongs.
func Owner(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
