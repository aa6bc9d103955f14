package target

// Files with secrets, in a directory that the server's user can write to.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/remove"
)

// writePrivate makes a file of the run directory that only the server's user may
// read. That directory belongs to that user, so another process of its could have
// put a link there by which root would write elsewhere: what is there is removed,
// and the file is created again (O_EXCL, which follows no link) and given away by its descriptor, not by its
// name.
func (r Request) writePrivate(name, text string) (err error) {
	path := filepath.Join(r.RunDir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(r.Distribution.UID, r.Distribution.GID)
}

// OwnDirectory makes a directory in which only the caller can make files, or
// checks that an existing one is such: in a directory for everyone, as /tmp is,
// another user can have made it before.
func OwnDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	return CheckOwn(dir)
}

// CheckOwn checks that a directory is not a link, that it belongs to the caller, and that
// only the caller can make files in it.
func CheckOwn(dir string) error {
	return checkOwn(dir, "remove it, or use a directory of your own (data.directory, XDG_RUNTIME_DIR)")
}

// checkOwn is [CheckOwn] with the advice for a directory that is another's.
func checkOwn(dir, advice string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	switch uid := remove.Owner(info); {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("check directory: %s is a symbolic link, not a directory; %s", dir, advice)
	case !info.IsDir():
		return fmt.Errorf("check directory: %s is not a directory; %s", dir, advice)
	case uid != os.Geteuid():
		return fmt.Errorf("check directory: %s belongs to user %d, not to user %d; %s", dir, uid, os.Geteuid(), advice)
	case remove.OthersWrite(info):
		return fmt.Errorf("check directory: other users can write to %s (mode %v); run chmod go-w %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// WriteStatements has a server execute the request's statements when it starts. The options
// file is to be written after it.
func (r Request) WriteStatements(o *mysqld.Options) error {
	if r.Statements == "" {
		return nil
	}
	o.InitFile = filepath.Join(filepath.Dir(o.Socket), AccountsFile)
	if err := r.writePrivate(AccountsFile, r.Statements); err != nil {
		return fmt.Errorf("write statements for the start: %w", err)
	}
	return nil
}
