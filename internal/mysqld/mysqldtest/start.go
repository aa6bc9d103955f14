package mysqldtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
)

// limit is what a server may take until it answers, or to write its pages and end, on
// a disk that others use as well: one has kept a single write waiting for a minute.
const limit = 5 * time.Minute

// Server is a server that a test started.
type Server struct {
	Address mysqld.Address
	Options mysqld.Options
	// PID is the server process itself.
	PID int

	log   *safeBuffer
	ended chan struct{}
	how   error
}

// Start initialises a server with these options in a directory of its own,
// starts it and waits until it answers. It is stopped when the test ends.
func Start(t testing.TB, d mysqld.Distribution, config map[string]string) *Server {
	t.Helper()
	o := Prepare(t, d, config)
	Initialize(t, d, o)
	return Run(t, d, o)
}

// StartTCP is Start of a server that also listens on a free port of 127.0.0.1, which is in its Options.
func StartTCP(t testing.TB, d mysqld.Distribution, config map[string]string) *Server {
	t.Helper()
	o := Prepare(t, d, config)
	o.Port = FreePort(t)
	WriteDefaults(t, d, o)
	Initialize(t, d, o)
	return Run(t, d, o)
}

// Prepare makes an instance directory, owned by the server's user, and writes
// the defaults file. The directory's name is short, for the socket.
func Prepare(t testing.TB, d mysqld.Distribution, config map[string]string) mysqld.Options {
	t.Helper()
	dir, err := os.MkdirTemp(TempDir(), "tare")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return PrepareIn(t, dir, d, config)
}

// PrepareIn is Prepare with all files in a directory of the caller's.
func PrepareIn(t testing.TB, dir string, d mysqld.Distribution, config map[string]string) mysqld.Options {
	t.Helper()
	o := mysqld.Options{
		DefaultsFile: filepath.Join(dir, "my.cnf"),
		DataDir:      filepath.Join(dir, "data"),
		Socket:       filepath.Join(dir, "mysqld.sock"),
		PIDFile:      filepath.Join(dir, "mysqld.pid"),
		TmpDir:       filepath.Join(dir, "tmp"),
		Config:       settled(config),
	}
	for _, p := range []string{dir, o.DataDir, o.TmpDir} {
		own(t, p, d)
	}
	WriteDefaults(t, d, o)
	return o
}

// settled keeps servers off asynchronous I/O unless a test asks for it. Each MySQL reserves
// requests of fs.aio-max-nr (mysqld.AIORequests), of which a machine has enough for 28 servers
// by default, and those of all tests that run at the same time share them. MariaDB uses io_uring:
// on Linux 6.18, 10.11 has waited at shutdown for two page writes that never came back, twice in
// a row, while its own recovery in between read and wrote the same files.
func settled(config map[string]string) map[string]string {
	all := map[string]string{"innodb_use_native_aio": "OFF"}
	maps.Copy(all, config)
	return all
}

// WriteDefaults writes the defaults file of an instance again.
func WriteDefaults(t testing.TB, d mysqld.Distribution, o mysqld.Options) {
	t.Helper()
	text, err := mysqld.Defaults(d, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.DefaultsFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// own makes a directory that belongs to the server's user.
func own(t testing.TB, path string, d mysqld.Distribution) {
	t.Helper()
	if err := os.MkdirAll(path, 0o750); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(path, d.UID, d.GID); err != nil {
		t.Fatal(err)
	}
}

// initialize makes the system tables.
func initialize(t testing.TB, d mysqld.Distribution, o mysqld.Options) {
	t.Helper()
	argv, stdin, err := mysqld.InitCommand(d, o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(d, o, argv)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("initialise %s: %v\n%s", d.Version, err, out)
	}
}

// Run starts a server on an initialised data directory and waits for it.
func Run(t testing.TB, d mysqld.Distribution, o mysqld.Options) *Server {
	t.Helper()
	s := &Server{Address: mysqld.Address{Socket: o.Socket, User: "root"}, Options: o, log: &safeBuffer{}, ended: make(chan struct{})}
	cmd := command(d, o, mysqld.Arguments(d, o))
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.PID = cmd.Process.Pid
	go func() {
		s.how = cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("log of %s:\n%s", d.Version, s.Log())
		}
	})
	if err := mysqld.Ready(context.Background(), s.Address, limit, s.Alive); err != nil {
		t.Fatalf("%v\n%s", err, s.Log())
	}
	return s
}

// Alive returns nil while the server runs, else how it ended.
func (s *Server) Alive() error {
	select {
	case <-s.ended:
		if s.how == nil {
			return errors.New("it exited with status 0")
		}
		return fmt.Errorf("it ended: %w", s.how)
	default:
		return nil
	}
}

// Log is what the server has printed so far.
func (s *Server) Log() string { return s.log.String() }

// Wait waits until the server has ended by itself.
func (s *Server) Wait(t testing.TB) {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(limit):
		t.Fatalf("server still runs after %s", limit)
	}
}

// Stop ends the server in order, and by force when it takes too long. A server
// that has ended is left alone.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.Alive() != nil {
		return
	}
	_ = syscall.Kill(s.PID, syscall.SIGTERM) // it may just have ended
	select {
	case <-s.ended:
	case <-time.After(limit):
		s.kill()
		t.Errorf("server did not stop within %s of SIGTERM", limit)
	}
}

// kill ends the server at once: its data are not read again.
func (s *Server) kill() {
	if s.Alive() == nil {
		_ = syscall.Kill(s.PID, syscall.SIGKILL) // it may just have ended
		<-s.ended
	}
}

// inRoot runs a command inside a root file system that stays as it is: a
// private mount namespace holds it read-only, with the instance directory at
// its own path. It ends in exec throughout, so the process is the server.
const inRoot = `set -e
root=$1 dir=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mkdir -p "$root$dir"
mount --bind "$dir" "$root$dir"
exec chroot --userspec="$user" --groups= "$root" "$@"`

// command makes the command for argv, run as the server's user in its Root.
func command(d mysqld.Distribution, o mysqld.Options, argv []string) *exec.Cmd {
	if d.Root == "/" {
		cmd := exec.Command(argv[0], argv[1:]...)
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(d.UID), Gid: uint32(d.GID)}}
		}
		return cmd
	}
	user := strconv.Itoa(d.UID) + ":" + strconv.Itoa(d.GID)
	args := []string{"--mount", "--propagation", "private", "sh", "-c", inRoot, "sh", d.Root, filepath.Dir(o.DefaultsFile), user}
	return exec.Command("unshare", append(args, argv...)...)
}

// safeBuffer collects a log that is read while it grows.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
