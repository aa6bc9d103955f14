package runner

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// identity changes with every write to a file: the kernel sets its change time (inode(7)),
// which no program can set back.
type identity struct {
	device, inode   uint64
	size            int64
	modified, since unix.Timespec
}

func identityOf(path string) (identity, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return identity{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return identity{st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim}, nil
}

// changed is when the file was written to last.
func (i identity) changed() time.Time { return time.Unix(i.since.Unix()) }
