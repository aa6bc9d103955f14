package record

// Files that are replaced whole.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/fault"
)

// WriteFile replaces a file so that a crash leaves the old or the new content,
// never a part: written beside it, synced, renamed, and the directory synced.
//
// What is written beside it has a name of its own, so that the next writer of the
// file takes the place of what a killed one left.
func WriteFile(path string, content []byte) error {
	name := filepath.Join(filepath.Dir(path), newPrefix+filepath.Base(path))
	tmp, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|noFollow, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return replace(path, tmp, content, 0o644)
}

// newPrefix begins the name of a file that is being written.
const newPrefix = ".new-"

// RewriteFile is WriteFile for a file of the user's: the mode, the owner and the group stay, and a
// symbolic link stays one. Where owner or group cannot be kept, the file is left as it is: a server that runs as another
// user could not read its options any more.
func RewriteFile(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := keepOwner(tmp, info); err != nil {
		return errors.Join(fmt.Errorf("write %s: keep its owner and group: %w", path, err), tmp.Close(), os.Remove(tmp.Name()))
	}
	return replace(path, tmp, content, info.Mode().Perm())
}

// replace writes into the temporary file, which it closes, and gives it the name.
func replace(path string, tmp *os.File, content []byte, mode fs.FileMode) error {
	defer os.Remove(tmp.Name())
	_, err := tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		fault.At("write " + filepath.Base(path))
		err = os.Rename(tmp.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// makeDirs is os.MkdirAll whose directories are there after a power cut: each is a name in
// the one above it.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := makeDirs(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(above)
}
