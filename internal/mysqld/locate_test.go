package mysqld

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLocate: where different builders put their files.
func TestLocate(t *testing.T) {
	for name, c := range map[string]struct {
		files  []string
		server string
		paths  Paths
	}{
		"Debian's MySQL":       {[]string{"usr/sbin/mysqld", "usr/share/mysql/english/errmsg.sys"}, "/usr/sbin/mysqld", Paths{}},
		"Debian's MariaDB":     {[]string{"usr/sbin/mariadbd", "usr/share/mysql/mysql_system_tables.sql"}, "/usr/sbin/mariadbd", Paths{Share: "/usr/share/mysql"}},
		"Fedora's MariaDB":     {[]string{"usr/libexec/mariadbd", "usr/share/mariadb/mariadb_system_tables.sql"}, "/usr/libexec/mariadbd", Paths{Share: "/usr/share/mariadb"}},
		"Red Hat's MySQL":      {[]string{"usr/libexec/mysqld"}, "/usr/libexec/mysqld", Paths{}},
		"mysqld before others": {[]string{"usr/sbin/mariadbd", "usr/sbin/mysqld"}, "/usr/sbin/mysqld", Paths{}},
		"Oracle's archive": {
			[]string{"usr/local/mysql/bin/mysqld", "usr/local/mysql/share/english/errmsg.sys", "usr/local/mysql/lib/plugin/x.so"},
			"/usr/local/mysql/bin/mysqld",
			Paths{Base: "/usr/local/mysql", Messages: "/usr/local/mysql/share", Plugins: "/usr/local/mysql/lib/plugin"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "mysql[8.4]") // brackets are no pattern
			for _, f := range c.files {
				write(t, filepath.Join(root, f), []byte("x"))
			}
			server, err := serverIn(root)
			if err != nil {
				t.Fatal(err)
			}
			if server != c.server {
				t.Errorf("server is %s, want %s", server, c.server)
			}
			if got := locate(root, server); got != c.paths {
				t.Errorf("paths are %+v, want %+v", got, c.paths)
			}
		})
	}
}

// TestResolveBad: each source that cannot be, and what is said.
func TestResolveBad(t *testing.T) {
	dir := t.TempDir()
	notServer := write(t, filepath.Join(dir, "ls"), []byte("#!/bin/sh\necho ls 1.0\n"))
	failing := write(t, filepath.Join(dir, "failing"), []byte("#!/bin/sh\necho libaio.so.1: cannot open >&2\nexit 127\n"))
	foreignCPU := write(t, filepath.Join(dir, "arm"), []byte("\x7fELF\x02\x01\x01\x00not for us"))
	noLoader := filepath.Join(dir, "noloader")
	write(t, filepath.Join(noLoader, "usr/sbin/mysqld"), []byte("#!/lib/ld-missing\n"))
	text := write(t, filepath.Join(dir, "text"), []byte("x"))
	if err := os.Chmod(text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the server's user has to reach them
		t.Fatal(err)
	}
	hidden := write(t, filepath.Join(dir, "hidden", "mysqld"), []byte("#!/bin/sh\n"))
	if err := os.Chmod(filepath.Dir(hidden), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    Source
		want string
	}{
		"two sources":       {Source{Path: "/x", OCI: "/y"}, "keep one"},
		"missing binary":    {Source{Path: filepath.Join(dir, "mysqld")}, "no such file"},
		"not on PATH":       {Source{Path: "no-such-mysqld"}, "look up server binary"},
		"directory":         {Source{Path: dir}, "not a regular file"},
		"not executable":    {Source{Path: text}, "not executable"},
		"no server":         {Source{Path: notServer}, "name the server binary itself"},
		"does not run":      {Source{Path: failing}, "libaio.so.1: cannot open"},
		"other processor":   {Source{Path: foreignCPU}, "another kind of processor"},
		"out of reach":      {Source{Path: hidden}, "who may not reach or execute it"},
		"missing rootfs":    {Source{Rootfs: filepath.Join(dir, "nowhere")}, "no such file"},
		"empty rootfs":      {Source{Rootfs: t.TempDir()}, "no server in"},
		"rootfs sans glibc": {Source{Rootfs: noLoader}, "its dynamic loader is not in"},
	} {
		t.Run(name, func(t *testing.T) {
			if (strings.Contains(c.want, "loader") || strings.Contains(c.want, "reach")) && os.Geteuid() != 0 {
				t.Skip("being another user, and chroot, need root")
			}
			_, err := Resolve(context.Background(), c.s, t.TempDir(), io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestHostServer: with nothing named, the first on PATH is taken, and a link is
// followed to what runs.
func TestHostServer(t *testing.T) {
	dir := t.TempDir()
	real := write(t, filepath.Join(dir, "real", "mariadbd"), []byte("x"))
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(dir, "bin", "mysqld")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	if got, err := hostServer(""); err != nil || got != real {
		t.Errorf("server is %s, %v; want %s", got, err, real)
	}
}

func TestMySQLUser(t *testing.T) {
	for passwd, want := range map[string][2]int{
		"root:x:0:0::/:/bin/sh\nmysql:x:107:115:MySQL:/nonexistent:/bin/false\n": {107, 115},
		"mysql:x:27:27":                   {27, 27},
		"":                                {999, 999},
		"root:x:0:0::/:/bin/sh":           {999, 999},
		"notmysql:x:5:5::/:":              {999, 999},
		"mysql:x:0:0::/:":                 {999, 999}, // a server refuses to be root
		"mysql:x:-3:7::/:":                {999, 999},
		"mysql:x:many:7::/:":              {999, 999},
		"mysql:x":                         {999, 999},
		"mysql:x:99999999999999999:7::/:": {999, 999},
	} {
		if uid, gid := mysqlUser(passwd); uid != want[0] || gid != want[1] {
			t.Errorf("%q gives %d:%d, want %v", passwd, uid, gid, want)
		}
	}
}

func TestFlavour(t *testing.T) {
	for name, c := range map[string]struct {
		d    Distribution
		want string
	}{
		"MySQL":                {Distribution{Version: "9.7.4-2 for Linux on x86_64 ((Debian))", Server: "/usr/sbin/mysqld"}, MySQL},
		"Percona":              {Distribution{Version: "8.0.36-28 for Linux on x86_64 (Percona Server (GPL))"}, MySQL},
		"MariaDB as mysqld":    {Distribution{Version: "10.11.19-MariaDB-0 for debian-linux-gnu", Server: "/usr/sbin/mysqld"}, MariaDB},
		"MariaDB, not asked":   {Distribution{Version: Unknown, Server: "/usr/sbin/mariadbd"}, MariaDB},
		"by its scripts alone": {Distribution{Version: Unknown, Server: "/usr/sbin/mysqld", Paths: Paths{Share: "/usr/share/mysql"}}, MariaDB},
		"MySQL, not asked":     {Distribution{Version: Unknown, Server: "/usr/sbin/mysqld"}, MySQL},
	} {
		if got := flavour(c.d); got != c.want {
			t.Errorf("%s is taken for %s", name, got)
		}
	}
}

// TestInitCommand: what is missing for MariaDB is said before a start.
func TestInitCommand(t *testing.T) {
	root := t.TempDir()
	d := Distribution{Root: root, Server: "/usr/sbin/mariadbd", Flavour: MariaDB}
	if _, _, err := InitCommand(d, instance(nil)); err == nil || !strings.Contains(err.Error(), "mariadb-server-core") {
		t.Errorf("without SQL files: %v", err)
	}
	write(t, filepath.Join(root, "usr/share/mysql/mariadb_system_tables.sql"), []byte("one;\nx @current_hostname;\n"))
	d.Paths = locate(root, d.Server)
	if _, _, err := InitCommand(d, instance(nil)); err == nil || !strings.Contains(err.Error(), "no mariadb_performance_tables.sql") {
		t.Errorf("with one SQL file: %v", err)
	}
	for _, names := range bootstrapFiles[1:] {
		write(t, filepath.Join(root, "usr/share/mysql", names[len(names)-1]), []byte("more;\n"))
	}
	argv, stdin, err := InitCommand(d, instance(nil))
	if err != nil {
		t.Fatal(err)
	}
	if argv[0] != d.Server || argv[1] != "--defaults-file=/run/tare/1/my.cnf" {
		t.Errorf("command is %v", argv)
	}
	if !strings.Contains(stdin, "one;\n") || strings.Count(stdin, "more;\n") != 5 || strings.Contains(stdin, "current_hostname") {
		t.Errorf("standard input is %q", stdin)
	}
}
