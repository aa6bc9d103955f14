package mysqld

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/containerd/continuity/fs"
)

// serverPaths is where server binaries are found inside a root file system, in
// the order of looking: Debian and the official images, Red Hat's build of
// MariaDB, then images with their own prefix.
var serverPaths = []string{
	"/usr/sbin/mysqld",
	"/usr/libexec/mysqld",
	"/usr/sbin/mariadbd",
	"/usr/libexec/mariadbd",
	"/usr/bin/mysqld",
	"/usr/bin/mariadbd",
	"/usr/local/mysql/bin/mysqld",
	"/usr/local/bin/mysqld",
	"/opt/bitnami/mysql/bin/mysqld",
	"/opt/bitnami/mariadb/sbin/mariadbd",
	"/opt/bitnami/mariadb/sbin/mysqld",
}

// serverIn finds the server inside a root file system. Symbolic links are
// followed as the server's own root would: an absolute one stays inside.
func serverIn(root string) (string, error) {
	for _, p := range serverPaths {
		host, err := fs.RootPath(root, p)
		if err != nil {
			return "", fmt.Errorf("follow %s: %w", p, err)
		}
		if err := executable(host); err == nil {
			return inside(root, host), nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("no server in %s: looked for %s; give a root file system or image that holds mysqld or mariadbd",
		root, strings.Join(serverPaths, ", "))
}

// hostServer finds the server on this host: the one that was named, or the
// first of the usual ones.
func hostServer(named string) (string, error) {
	if named != "" {
		return hostPath(named)
	}
	for _, name := range []string{"mysqld", "mariadbd"} {
		if p, err := exec.LookPath(name); err == nil {
			return hostPath(p)
		}
	}
	server, err := serverIn("/")
	if err != nil {
		return "", errors.New("no mysqld or mariadbd on PATH, in /usr/sbin or in /usr/libexec: install a server (Debian, Ubuntu: apt install mariadb-server-core or mysql-server-core-8.0) or name one with rootfs, oci or image")
	}
	return server, nil
}

// hostPath is the absolute path of a binary, without symbolic links: MariaDB's
// mysqld is a link, and the record should say what runs.
func hostPath(p string) (string, error) {
	if !strings.Contains(p, "/") {
		found, err := exec.LookPath(p)
		if err != nil {
			return "", fmt.Errorf("look up server binary: %w", err)
		}
		p = found
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("read server binary: %w", err)
	}
	return real, executable(real)
}

// executable returns nil for a regular file that may be executed.
func executable(p string) error {
	info, err := os.Stat(p)
	switch {
	case err != nil:
		return fmt.Errorf("read server binary: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read server binary: %s is not a regular file", p)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("read server binary: %s is not executable (chmod a+x)", p)
	}
	return nil
}

// inside turns a path of this host into the path inside root.
func inside(root, host string) string {
	if root == "/" {
		return host
	}
	return path.Join("/", strings.TrimPrefix(host, root))
}
