package backup

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Free is how many bytes a user can still write below a directory; ok is false where that is
// not known, such as on a file system without a size (proc).
func Free(dir string) (bytes int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(Existing(dir), &st); err != nil || st.Blocks == 0 {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}

// Reflinks says that files below dir can share blocks (FICLONE, ioctl_ficlone(2)): with the
// file from, or with each other where from is "". It tries that with files that have no name
// (O_TMPFILE, open(2)), so that nothing is left.
func Reflinks(from, dir string) bool {
	source, err := nameless(dir)
	if err != nil {
		return false
	}
	defer source.Close()
	if _, err := source.Write(make([]byte, 4096)); err != nil {
		return false
	}
	if from != "" {
		if source, err = os.Open(from); err != nil {
			return false
		}
		defer source.Close()
	}
	copied, err := nameless(dir)
	if err != nil {
		return false
	}
	defer copied.Close()
	return unix.IoctlFileClone(int(copied.Fd()), int(source.Fd())) == nil
}

func nameless(dir string) (*os.File, error) {
	f, err := os.OpenFile(Existing(dir), os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("try reflinks: %w", err)
	}
	return f, nil
}
