package mysqldtest

import (
	"os"

	"golang.org/x/sys/unix"
)

// roomWanted is what a package's servers and runs have at a time, with a good deal to
// spare: data directories of 200 MB.
const roomWanted = 8 << 30

// TempDir is where tests make files that a disk has nothing to do with: in memory
// where that has room, else the machine's directory for temporary files. The scripts of
// cmd/tare alone write 26 GB, and a disk that all of that goes to has kept the write of
// one page waiting for a minute in another test.
func TempDir() string {
	const memory = "/dev/shm"
	var fs unix.Statfs_t
	if err := unix.Statfs(memory, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || int64(fs.Bavail)*fs.Bsize < roomWanted {
		return os.TempDir()
	}
	return memory
}
