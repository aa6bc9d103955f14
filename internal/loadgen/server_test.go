package loadgen

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/spawn"
)

// The password of the tests' user: whatever a shell, a command line or an option
// file could stumble over.
const testPassword = `pa ss#w"o=r,d`

// testServer is a real server that a test started.
type testServer struct {
	socket  string
	process *os.Process
}

// kind is a server of this machine.
type kind struct {
	name    string
	command []string // how the binary is called
	options []string // that its place on disk requires
}

// kinds finds MySQL in the root file system TARE_TEST_ROOTFS, and mysqld and
// mariadbd on this machine. Without any the machine lacks what is tested here.
func kinds(t *testing.T) []kind {
	t.Helper()
	var found []kind
	if root := os.Getenv("TARE_TEST_ROOTFS"); root != "" {
		found = append(found, fromRoot(t, root))
	}
	for _, name := range []string{"mysqld", "mariadbd"} {
		path, err := exec.LookPath(name)
		if err != nil {
			path = "/usr/sbin/" + name // not on everybody's PATH
		}
		// Debian's mysqld may be a link to mariadbd.
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Base(real) == name {
			found = append(found, kind{name: name, command: []string{path}})
		}
	}
	if len(found) == 0 {
		t.Skip("no MySQL and no MariaDB on this machine")
	}
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("no sysbench on this machine")
	}
	return found
}

// fromRoot runs the server of another root file system without entering it: by
// that system's own loader and libraries, so no root is needed.
func fromRoot(t *testing.T, root string) kind {
	t.Helper()
	loaders, _ := filepath.Glob(root + "/usr/lib64/ld-linux-*.so.*")
	libraries, _ := filepath.Glob(root + "/usr/lib/*-linux-gnu")
	if len(loaders) == 0 || len(libraries) == 0 {
		t.Fatalf("TARE_TEST_ROOTFS=%s holds no loader and libraries", root)
	}
	return kind{
		name:    "mysqld",
		command: []string{loaders[0], "--library-path", libraries[0], root + "/usr/sbin/mysqld"},
		options: []string{
			"--basedir=" + root + "/usr", "--lc-messages-dir=" + root + "/usr/share/mysql",
			"--character-sets-dir=" + root + "/usr/share/mysql/charsets", "--plugin-dir=" + root + "/usr/lib/mysql/plugin",
			"--secure-file-priv=",
		},
	}
}

// startServer starts a fresh server and stops it with the test. Root has no
// password; user "bench" has testPassword.
func startServer(t *testing.T, k kind) *testServer {
	t.Helper()
	dir, err := os.MkdirTemp(mysqldtest.TempDir(), "lg") // short: sun_path holds 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	initialize(t, k, data)
	setUp := filepath.Join(dir, "init.sql")
	quoted := "'" + testPassword + "'"
	sql := "CREATE DATABASE sbtest;\nCREATE USER bench@localhost IDENTIFIED BY " + quoted + ";\nGRANT ALL ON sbtest.* TO bench@localhost;\n"
	if err := os.WriteFile(setUp, []byte(sql), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &testServer{socket: filepath.Join(dir, "s")}
	args := append(common(k, data), "--socket="+s.socket, "--skip-networking", "--init-file="+setUp, "--innodb-flush-log-at-trx-commit=2")
	if k.name == "mysqld" {
		args = append(args, "--mysqlx=OFF")
	}
	s.start(t, exec.Command(k.command[0], append(k.command[1:len(k.command):len(k.command)], args...)...))
	return s
}

func common(k kind, data string) []string {
	args := append([]string{"--no-defaults"}, k.options...)
	args = append(args, "--datadir="+data, "--innodb-buffer-pool-size=64M", "--innodb-use-native-aio=OFF")
	if os.Geteuid() == 0 {
		args = append(args, "--user=root")
	}
	return args
}

func initialize(t *testing.T, k kind, data string) {
	t.Helper()
	cmd := exec.Command(k.command[0], append(k.command[1:len(k.command):len(k.command)], append(common(k, data), "--initialize-insecure")...)...)
	if k.name == "mariadbd" {
		if err := os.Mkdir(data, 0o700); err != nil {
			t.Fatal(err)
		}
		args := []string{"--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal", "--skip-test-db"}
		if os.Geteuid() == 0 {
			args = append(args, "--user=root")
		}
		cmd = exec.Command("mariadb-install-db", args...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("initialise data: %v\n%s", err, out)
	}
}

// start runs the server until the test ends and waits until it greets.
func (s *testServer) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	// The server must not outlive a test that is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	gone := make(chan error, 1)
	if err := spawn.StartHeld(cmd.Start, func() { gone <- cmd.Wait() }); err != nil {
		t.Fatal(err)
	}
	s.process = cmd.Process
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the data are thrown away
		<-gone
	})
	if err := s.greets(5 * time.Minute); err != nil {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("start %s: %v\n%s", cmd.Path, err, text)
	}
}

func (s *testServer) greets(within time.Duration) error {
	err := fmt.Errorf("not asked")
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var c net.Conn
		if c, err = net.Dial("unix", s.socket); err != nil {
			continue
		}
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_, err = c.Read(make([]byte, 5)) // the greeting's header and version
		c.Close()
		if err == nil {
			return nil
		}
	}
	return err
}

func (s *testServer) bench() mysqld.Address {
	return mysqld.Address{Socket: s.socket, User: "bench", Password: testPassword, Schema: "sbtest"}
}

func (s *testServer) root() mysqld.Address {
	return mysqld.Address{Socket: s.socket, User: "root", Schema: "sbtest"}
}
