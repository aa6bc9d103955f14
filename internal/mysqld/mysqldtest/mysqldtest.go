// Package mysqldtest starts real servers for tests.
package mysqldtest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// RootfsVariable names the environment variable with the directory of a root
// file system that holds MySQL. The Makefile sets it.
const RootfsVariable = "TARE_TEST_ROOTFS"

// Distributions returns every server that this machine has for tests: MySQL of
// the root file system in TARE_TEST_ROOTFS and MariaDB of the host. It skips
// the test when there is neither.
func Distributions(t testing.TB) []mysqld.Distribution {
	t.Helper()
	var all []mysqld.Distribution
	if dir := os.Getenv(RootfsVariable); dir != "" {
		if os.Geteuid() == 0 {
			all = append(all, resolve(t, mysqld.Source{Rootfs: dir}))
		} else {
			t.Logf("not root: the server in %s cannot be started, which needs chroot", dir)
		}
	}
	if path := hostMariaDB(); path != "" {
		all = append(all, resolve(t, mysqld.Source{Path: path}))
	}
	if len(all) == 0 {
		t.Skipf("no server: neither %s nor a mariadbd on this machine", RootfsVariable)
	}
	return all
}

// Flavour returns a server of one flavour, and skips where there is none.
func Flavour(t testing.TB, flavour string) mysqld.Distribution {
	t.Helper()
	for _, d := range Distributions(t) {
		if d.Flavour == flavour {
			return d
		}
	}
	t.Skipf("no %s on this machine", flavour)
	return mysqld.Distribution{}
}

// NewerMariaDBVariable names the environment variable with the directory of a root file system that holds a newer
// MariaDB than the host's. The Makefile sets it.
const NewerMariaDBVariable = "TARE_TEST_MARIADB"

// NewerMariaDB returns the server of that root file system, and skips where there is none.
func NewerMariaDB(t testing.TB) mysqld.Distribution {
	t.Helper()
	dir := os.Getenv(NewerMariaDBVariable)
	if dir == "" || os.Geteuid() != 0 {
		t.Skipf("no newer MariaDB: %s is empty, or this is not root", NewerMariaDBVariable)
	}
	return resolve(t, mysqld.Source{Rootfs: dir})
}

func resolve(t testing.TB, s mysqld.Source) mysqld.Distribution {
	t.Helper()
	d, err := mysqld.Resolve(context.Background(), s, t.TempDir(), io.Discard)
	if err != nil {
		t.Fatalf("resolve %s: %v", s, err)
	}
	return d
}

func hostMariaDB() string {
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd", "/usr/libexec/mariadbd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
