package mysqldtest

// This file keeps data directories as servers make them at their first start. To make one takes
// seconds of CPU time, and most tests want the same.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containerd/continuity/fs"

	"github.com/tarebench/tare/internal/lock"
	"github.com/tarebench/tare/internal/mysqld"
)

// InitialisedVariable names the directory that keeps them for all packages. The Makefile sets
// it; without it, each test makes its own.
const InitialisedVariable = "TARE_TEST_INITIALISED"

// Initialize makes the system tables of an instance, or copies those that the same server made
// before. A copy has its own server_uuid.
func Initialize(t testing.TB, d mysqld.Distribution, o mysqld.Options) {
	t.Helper()
	kept := os.Getenv(InitialisedVariable)
	if kept == "" || shapes(o.Config) || os.Geteuid() != 0 { // the owner of a copy is its server's user
		initialize(t, d, o)
		return
	}
	if err := copyOf(o.DataDir, template(t, d, kept)); err != nil {
		t.Fatal(err)
	}
}

// shapes is whether an option decides how the files are made, and not only how they are used.
func shapes(config map[string]string) bool {
	for name := range config {
		switch name = strings.ReplaceAll(name, "-", "_"); {
		case name == "lower_case_table_names", name == "innodb_page_size", name == "innodb_checksum_algorithm",
			strings.HasPrefix(name, "innodb_undo"), strings.HasPrefix(name, "innodb_data"), strings.HasPrefix(name, "character_set"), strings.HasPrefix(name, "collation"):
			return true
		}
	}
	return false
}

// template is the directory that is kept for a server, made by the first test that wants it. Others
// wait for it, those of other packages too.
func template(t testing.TB, d mysqld.Distribution, kept string) string {
	t.Helper()
	dir := filepath.Join(kept, fmt.Sprintf("%s-%.12s-%d", d.Flavour, d.SHA256, d.UID))
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := lock.Wait(t.Context(), held, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	// Half of a data directory is redo log. A server that is to have more makes it at its start.
	log := map[string]string{mysqld.MySQL: "innodb_redo_log_capacity", mysqld.MariaDB: "innodb_log_file_size"}[d.Flavour]
	o := Prepare(t, d, map[string]string{log: "8M"})
	initialize(t, d, o)
	if err := copyOf(dir+".part", o.DataDir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".part", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyOf copies a data directory without the server's identity, which the server makes again at its start.
func copyOf(to, from string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("copy data directory: %w", err)
	}
	if err := fs.CopyDir(to, from); err != nil {
		return fmt.Errorf("copy data directory: %w", err)
	}
	if err := os.Remove(filepath.Join(to, "auto.cnf")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("copy data directory: %w", err)
	}
	return nil
}
