package mysqld

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/containerd/continuity/fs"
)

// identify says what the server binary is: version, flavour, checksum, user.
func identify(ctx context.Context, root, server string) (Distribution, error) {
	d := Distribution{Root: root, Server: server, Paths: locate(root, server)}
	var err error
	if d.UID, d.GID, err = runAs(root); err != nil {
		return d, err
	}
	if d.SHA256, err = checksum(filepath.Join(root, server)); err != nil {
		return d, err
	}
	d.Version, err = version(ctx, d)
	switch {
	case errors.Is(err, os.ErrPermission) && os.Geteuid() != 0:
		// Only root may chroot; a kernel can refuse user namespaces as well.
		d.Version = Unknown
	case err != nil:
		return d, err
	}
	d.Flavour = flavour(d)
	return d, nil
}

// versionLine is how both servers answer --version (sql/mysqld.cc,
// print_server_version): "/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ...". Debian's MariaDB 11.8 has "Ver
// 11.8.9-MariaDB-4 from Debian for debian-linux-gnu on x86_64 ...".
var versionLine = regexp.MustCompile(`(?m)\bVer (\S+(?: from \S+)? for .+)$`)

// hangs is how long a server may take to answer about itself. It is much more than one that works
// needs, because on a very busy machine one without an answer would count as refusing nothing.
const hangs = 5 * time.Minute

// version asks the binary, inside its root file system and as the user it will
// run as.
func version(ctx context.Context, d Distribution) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.Server, "--no-defaults", "--version")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = confined(d)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", explainRun(d, err, complaint.String())
	}
	m := versionLine.FindStringSubmatch(out.String())
	if m == nil {
		return "", fmt.Errorf("%s --version printed %q, which no MySQL or MariaDB server prints; name the server binary itself",
			d.Server, firstLine(out.String()))
	}
	return strings.TrimSpace(m[1]), nil
}

// explainRun says why a binary that is there does not run. The kernel answers
// ENOENT for a missing ELF interpreter too (execve(2)), which misleads.
func explainRun(d Distribution, err error, complaint string) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("run %s: its dynamic loader is not in %s: the root file system is incomplete or for another machine: %w", d.Server, d.Root, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("run %s: it is built for another kind of processor: %w", d.Server, err)
	case errors.Is(err, os.ErrPermission) && os.Geteuid() == 0:
		return fmt.Errorf("run %s: %w: the server runs as user %d, who may not reach or execute it; make it and the directories above it executable for all (chmod a+rx)", d.Server, err, d.UID)
	case complaint != "":
		return fmt.Errorf("run %s --version in %s: %w: %s", d.Server, d.Root, err, firstLine(complaint))
	}
	return fmt.Errorf("run %s --version in %s: %w", d.Server, d.Root, err)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// flavour tells MariaDB from MySQL: by its version, or without one by its name
// and by the scripts that only MariaDB brings.
func flavour(d Distribution) string {
	switch {
	case strings.Contains(d.Version, "MariaDB"),
		d.Version == Unknown && strings.HasPrefix(path.Base(d.Server), "mariadb"),
		d.Version == Unknown && d.Paths.Share != "":
		return MariaDB
	}
	return MySQL
}

// checksum is the SHA-256 of a file, in hexadecimal.
func checksum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read server binary: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read server binary: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// noMySQLUser is the uid and gid where Root has no user mysql: what the
// official images give theirs.
const noMySQLUser = 999

// runAs is whom a server of this root file system runs as. A server refuses to
// run as root, and only root can be anyone else than itself.
func runAs(root string) (uid, gid int, err error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid(), nil
	}
	passwd, err := fs.RootPath(root, "/etc/passwd")
	if err != nil {
		return 0, 0, fmt.Errorf("follow etc/passwd: %w", err)
	}
	b, err := os.ReadFile(passwd)
	if errors.Is(err, os.ErrNotExist) {
		return noMySQLUser, noMySQLUser, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read users of the root file system: %w", err)
	}
	uid, gid = mysqlUser(string(b))
	return uid, gid, nil
}

// mysqlUser finds the user mysql in the text of a passwd(5) file.
func mysqlUser(passwd string) (uid, gid int) {
	for line := range strings.Lines(passwd) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || f[0] != "mysql" {
			continue
		}
		u, errU := strconv.ParseUint(f[2], 10, 31)
		g, errG := strconv.ParseUint(f[3], 10, 31)
		if errU == nil && errG == nil && u > 0 {
			return int(u), int(g)
		}
	}
	return noMySQLUser, noMySQLUser
}
