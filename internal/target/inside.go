package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/mysqld"
)

// Where a server finds its own directories, whatever it runs in: its variables
// and log lines are then the same in every arm, and its user needs no way
// through the directories that lead to them on the host.
const (
	InsideData = "/mnt/tare/data"
	InsideRun  = "/mnt/tare/run"
	InsideTmp  = "/mnt/tare/tmp"
)

// The files in the run directory.
const (
	SocketFile   = "mysqld.sock"
	PIDFile      = "mysqld.pid"
	DefaultsFile = "my.cnf"
)

// TmpDir is the host directory that the server has as InsideTmp: on the disk of
// the data, and not inside them, where a directory would be a schema.
func (r Request) TmpDir() string { return filepath.Join(r.Dir, "tmp") }

// Options are those of a server that sees its directories at these paths.
func (r Request) Options(data, run, tmp string) mysqld.Options {
	return mysqld.Options{
		DefaultsFile: filepath.Join(run, DefaultsFile),
		DataDir:      data,
		Socket:       filepath.Join(run, SocketFile),
		PIDFile:      filepath.Join(run, PIDFile),
		TmpDir:       tmp,
		Config:       r.Config,
	}
}

// Environment is that of the server and of commands beside it: small, and the
// same in every arm, because the size of the environment moves the stack and
// with it the speed (Mytkowicz et al., ASPLOS 2009).
func (r Request) Environment() []string {
	return []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOSTNAME=" + r.Name,
		InstanceVariable + "=" + r.Name,
	}
}

// HandOver gives the server's directories to the user it runs as. Only root can,
// and only root has to: another user runs the server as itself.
func (r Request) HandOver() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, dir := range []string{r.DataDir, r.RunDir, r.TmpDir()} {
		if err := handOver(dir, r.Distribution.UID, r.Distribution.GID); err != nil {
			return fmt.Errorf("give directory to the server's user: %w", err)
		}
	}
	return nil
}

// handOver gives a directory and everything in it to a user. Nothing outside of it is
// reached (openat(2), by [os.Root]): processes of that user can put links into what is theirs
// already.
func handOver(dir string, uid, gid int) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(handOverIn(root, ".", uid, gid), root.Close())
}

// handOverIn gives the directory at path away after its contents, so that they cannot be
// replaced before.
func handOverIn(root *os.Root, path string, uid, gid int) error {
	entries, err := entriesOf(root, path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if e.IsDir() {
			err = handOverIn(root, name, uid, gid)
		} else {
			err = root.Lchown(name, uid, gid)
		}
		if err != nil {
			return err
		}
	}
	return root.Lchown(path, uid, gid)
}

func entriesOf(root *os.Root, path string) ([]fs.DirEntry, error) {
	dir, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	return entries, errors.Join(err, dir.Close())
}

// Configure writes the server's options file into the run directory. Options can
// be secrets, so only the server's user may read it.
func (r Request) Configure(o mysqld.Options) error {
	text, err := mysqld.Defaults(r.Distribution, o)
	if err != nil {
		return err
	}
	if err := r.writePrivate(DefaultsFile, text); err != nil {
		return fmt.Errorf("write options file: %w", err)
	}
	return nil
}
