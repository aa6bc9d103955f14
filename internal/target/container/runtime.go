package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/spawn"
	"github.com/tarebench/tare/internal/target"
)

// runtime is an OCI runtime with the state of one instance's container, which
// is kept below the instance directory and not in /run.
type runtime struct {
	path     string
	dir      string // holds config.json and all the runtime keeps
	instance string // also the container's name
	// noHugePages keeps transparent huge pages from what it runs.
	noHugePages bool
}

func (rt runtime) arguments(args ...string) []string {
	return append([]string{"--root", filepath.Join(rt.dir, "state")}, args...)
}

// pidFile gets the host's number of a process in the container.
func (rt runtime) pidFile() string { return filepath.Join(rt.dir, "pid") }

// do runs a short command of the runtime. What it prints on its standard error
// is part of the error.
func (rt runtime) do(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var out, complaint bytes.Buffer
	c := target.Command{Path: rt.path, Args: rt.arguments(args...), Stdout: &out, Stderr: &complaint}
	if err := target.RunHere(ctx, c.Here(ctx, rt.instance)); err != nil {
		return "", fmt.Errorf("%s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// running is the runtime's process while it stays with a container: it passes
// on what the server prints and ends with the server's exit status.
type running struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process is gone; err is set before
	err   error
}

// keeps says whether the runtime can leave a container in place when its server
// ends, so that its cgroup can still be read: whether it was killed for its
// memory is then an outcome to report. runc before 1.1 and crun before 1.9
// cannot.
func (rt runtime) keeps(ctx context.Context) (bool, error) {
	help, err := rt.do(ctx, "run", "--help")
	return strings.Contains(help, "--keep"), err
}

// run starts the container and stays with it. keep leaves the container in place
// at its end.
func (rt runtime) run(keep bool, stdin io.Reader, log io.Writer) (*running, error) {
	args := rt.arguments("run", "--bundle", rt.dir, "--pid-file", rt.pidFile())
	if keep {
		args = append(args, "--keep")
	}
	cmd := exec.Command(rt.path, append(args, rt.instance)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), target.InstanceVariable + "=" + rt.instance}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, log, log
	cmd.WaitDelay = 5 * time.Second
	// When tare is killed, the runtime is asked to end, and passes that on to the
	// server. (SIGKILL would leave the server alone.)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	r := &running{cmd: cmd, ended: make(chan struct{})}
	err := spawn.StartHeld(func() error { return rt.start(cmd) }, func() {
		r.err = cmd.Wait()
		close(r.ended)
	})
	if err != nil {
		return nil, record.RunContainer.Wrap(err)
	}
	return r, nil
}

// hasEnded says whether the runtime's process is gone.
func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// pid waits until the runtime has written the server's process number: the
// server runs then.
func (r *running) pid(ctx context.Context, file string) (int, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if pid, err := readPID(file); err == nil {
			return pid, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-r.ended:
			if pid, err := readPID(file); err == nil {
				return pid, nil // it ran, and was quick to end
			}
			return 0, errors.Join(errors.New(record.RuntimeEnded.Say()), r.err)
		}
	}
}

func readPID(file string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err == nil && pid <= 0 {
		err = errors.New("no process number")
	}
	return pid, err
}
