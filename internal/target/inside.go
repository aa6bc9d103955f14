package target

import (
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
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, r.Distribution.UID, r.Distribution.GID)
		})
		if err != nil {
			return fmt.Errorf("give directory to the server's user: %w", err)
		}
	}
	return nil
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
