package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
)

// running is a process that launch started.
type running struct {
	cmd *exec.Cmd
	// ended is closed when the process is gone and everything it printed has
	// been read; err, set before, is how it ended.
	ended chan struct{}
	err   error
}

// launch starts cmd from a thread of its own that enter has prepared. The
// thread is kept until the process ends, because the kernel kills the process
// when the thread that started it ends (PR_SET_PDEATHSIG(2const)); then it ends
// too, and whatever enter changed for it with it.
func launch(cmd *exec.Cmd, enter func() error) (*running, error) {
	r := &running{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go awayFromMain(func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this function
		err := enter()
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err != nil {
			return
		}
		r.err = cmd.Wait()
		close(r.ended)
	})
	if err := <-started; err != nil {
		return nil, record.StartProgram.Wrap(err, cmd.Path)
	}
	return r, nil
}

// awayFromMain runs f on a goroutine that is not on the process's first thread.
// That one cannot end before the process, so a mount namespace it entered would
// stay, and /proc/self would show it.
func awayFromMain(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // on another thread: this one is locked
		defer close(done)
		awayFromMain(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

// hasEnded says whether the process is gone.
func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// kill ends the whole process group and waits until the process is gone; nil has none.
func (r *running) kill() error {
	if r == nil {
		return nil
	}
	// While the process is not waited for, its number cannot be another's.
	if r.hasEnded() {
		return nil
	}
	if err := unix.Kill(-r.cmd.Process.Pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill %s: %w", r.cmd.Path, err)
	}
	select {
	case <-r.ended:
		return nil
	case <-time.After(killPatience):
		return fmt.Errorf("kill %s: process %d does not end", r.cmd.Path, r.cmd.Process.Pid)
	}
}

// killPatience is how long a killed process may take to give its memory back.
const killPatience = 30 * time.Second

// attributes are those of a process that belongs to this tare and runs in root
// as uid and gid, where we may choose. It has a session of its own, as a service
// manager gives one: the scheduler divides the CPU among sessions
// (CONFIG_SCHED_AUTOGROUP, sched(7)), and a server in the load client's session
// would share the client's weight, which no server on bare metal does.
func attributes(root string, uid, gid int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		// Not the server's own --user: a process that changes its user itself
		// loses its parent-death signal.
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if root != "/" {
		attr.Chroot = root
	}
	return attr
}
