package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/spawn"
)

// Here is the command as a process of this host, not yet started: marked as the
// instance's and in a session of its own, so that the load client has the same
// weight before the scheduler wherever the server runs (sched(7), autogroup).
// Its process group is killed when ctx ends, and with the thread that starts it
// (see [RunHere]).
func (c Command) Here(ctx context.Context, instance string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append(environment.Passed(), c.Env...)
	cmd.Env = append(cmd.Env, InstanceVariable+"="+instance)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.SysProcAttr = spawn.Session()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	// A child that keeps the output open would hold Wait up for ever.
	cmd.WaitDelay = 500 * time.Millisecond
	return cmd
}

// RunHere runs a command made by [Command.Here] on the calling thread and waits
// for it. The thread is held meanwhile: the kernel kills the command when the
// thread that started it ends (PR_SET_PDEATHSIG(2const)), and a thread of Go's
// ends when a goroutine locked to it does. Whatever the command left running in
// its process group is killed.
//
// The error of a command that ended badly wraps an *exec.ExitError, that of one
// whose context ended the context's error.
func RunHere(ctx context.Context, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	err := cmd.Wait()
	_ = killGroup(cmd.Process.Pid)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("run %s: %w", cmd.Path, ctx.Err())
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well, and its children are gone now
	case err != nil:
		return fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	return nil
}

// killGroup says os.ErrProcessDone when nothing of the group is left, as
// exec.Cmd.Cancel wants it.
func killGroup(leader int) error {
	err := spawn.Signal(leader, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
