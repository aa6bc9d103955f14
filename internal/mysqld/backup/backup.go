// Package backup reads the database that a user gives as data: a data directory, a physical backup, a logical dump, or
// a server to clone.
//
// What the user gives is opened for reading only. A directory is copied by the caller; a
// dump is executed on an empty server; a clone is made by MySQL's clone plugin.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Size is what a source has.
type Size struct {
	Files int
	// Bytes are those that its data directory has; of a dump they are estimated.
	Bytes     int64
	Estimated bool
	// Identity changes with the names, sizes and modification times of the files.
	Identity string
}

// Directory looks at a data directory or a physical backup, and says why no server can start
// on a copy of it.
func Directory(dir string) (Size, error) {
	var size Size
	if err := isData(dir); err != nil {
		return size, err
	}
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0, strings.HasSuffix(name, ".isl"):
			return fmt.Errorf("%s is a link to data elsewhere, and only the directory is copied; give a physical backup", name)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size.Files++
		size.Bytes += info.Size()
		fmt.Fprintf(h, "%s\x00%d\x00%d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		return size, fmt.Errorf("read data directory: %w", err)
	}
	size.Identity = hex.EncodeToString(h.Sum(nil)[:8])
	return size, inUse(dir)
}

// isData says why a directory has no data that a server can start on.
func isData(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("read data directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory; a dump is given with dump", dir)
	}
	for _, name := range []string{"xtrabackup_checkpoints", "mariadb_backup_checkpoints"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && !strings.Contains(string(text), "full-prepared") && !strings.Contains(string(text), "log-applied") {
			return fmt.Errorf("%s: the backup is not prepared (%s); run xtrabackup --prepare or mariabackup --prepare on a copy of it", dir, name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ibdata1")); err != nil {
		return fmt.Errorf("%s has no file ibdata1: it is not a data directory of MySQL or MariaDB, or a compressed backup", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "mysql")); err != nil {
		return fmt.Errorf("%s has no directory mysql: it is not a data directory of MySQL or MariaDB", dir)
	}
	return nil
}

// Login makes root@localhost an account without a password in a restored copy: the accounts
// of the user's database have passwords that tare does not know. The copy answers on a
// socket that only its own user can reach. One statement on each line (init_file).
const Login = "CREATE USER IF NOT EXISTS 'root'@'localhost';\n" +
	"ALTER USER 'root'@'localhost' IDENTIFIED BY '';\n" +
	"GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION;\n"

// Stale are files of the server that the data are from, which a copy must not have.
func Stale(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("remove files of the original server: %w", err)
	}
	for _, e := range entries {
		if !stale(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("remove file of the original server: %w", err)
		}
	}
	return nil
}

func stale(name string) bool {
	return name == "auto.cnf" || slices.ContainsFunc([]string{".pid", ".sock", ".sock.lock"}, func(end string) bool { return strings.HasSuffix(name, end) })
}
