package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/target"
)

// Exec runs a command in the container, or as a plain process of this host.
func (s *server) Exec(ctx context.Context, side target.Side, c target.Command) error {
	if side == target.ClientSide {
		return s.network.InsideClient(func() error { return target.RunHere(ctx, c.Here(ctx, s.request.Name)) })
	}
	if err := s.Alive(); err != nil {
		return fmt.Errorf("run %s beside the server: %w", c.Path, err)
	}
	file, err := s.writeProcess(c)
	if err != nil {
		return fmt.Errorf("run %s beside the server: %w", c.Path, err)
	}
	defer os.Remove(file)
	pidFile := file + ".pid"
	defer os.Remove(pidFile)
	outer := target.Command{
		Path: s.runtime.path, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Args: s.runtime.arguments("exec", "--process", file, "--pid-file", pidFile, s.request.Name),
	}
	cmd := outer.Here(ctx, s.request.Name)
	end := cmd.Cancel
	cmd.Cancel = func() error {
		killInside(pidFile)
		return end()
	}
	done := make(chan struct{})
	go endWithParent(pidFile, done)
	err = target.RunHere(ctx, cmd)
	close(done)
	if pid, err := readPID(pidFile); err == nil {
		killGroup(pid)
	}
	if err != nil {
		return fmt.Errorf("run %s beside the server: %w", c.Path, err)
	}
	return nil
}

// writeProcess writes what the runtime is to run into a file of root's alone: on
// the runtime's command line, everyone could read a secret in the command's
// environment.
func (s *server) writeProcess(c target.Command) (string, error) {
	d := s.request.Distribution
	p := specs.Process{
		User: specs.User{UID: uint32(d.UID), GID: uint32(d.GID)},
		Args: append([]string{c.Path}, c.Args...),
		Env:  append(s.request.Environment(), c.Env...),
		Cwd:  "/",
	}
	s.security.bound(&p)
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode process: %w", err)
	}
	f, err := os.CreateTemp(s.runtime.dir, "exec-*.json") // mode 0600
	if err != nil {
		return "", fmt.Errorf("write process: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return "", fmt.Errorf("write process: %w", err)
	}
	return f.Name(), nil
}

// killInside kills a command in the container with its children. SIGKILL ends
// the runtime and not what it runs. The runtime writes the number a moment after
// the command runs; one that is killed before that takes the command with it.
func killInside(pidFile string) {
	for range 100 {
		if pid, err := readPID(pidFile); err == nil {
			killGroup(pid)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// killGroup kills a command's process group, which is its own: the runtime makes
// a session for it. What has ended by itself is not an error.
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// endWithParent kills a command's children when the command ends: the runtime
// would wait for whatever still has its output open. It returns when done is
// closed.
func endWithParent(pidFile string, done <-chan struct{}) {
	pid, err := readPID(pidFile)
	for ; err != nil; pid, err = readPID(pidFile) {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) {
		return // before Linux 5.3 a command has to end its children itself
	}
	if err != nil { // it has ended already
		killGroup(pid)
		return
	}
	defer unix.Close(fd)
	for {
		// Readable when the process ends (pidfd_open(2)).
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 50)
		if n > 0 || (err != nil && err != unix.EINTR) {
			killGroup(pid)
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
