package remove

import (
	"io/fs"
	"os"
)

// OthersWrite is false: the mode that Go shows of a file is not who can write to it.
func OthersWrite(fs.FileInfo) bool { return false }

// Owner is the caller, as os.Geteuid has it: Windows has no numbers of users, and in a user's profile no other user
// can make files.
func Owner(fs.FileInfo) int { return os.Geteuid() }
