package fault

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

func kill() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// stop returns after somebody has continued the process. The signal goes to this thread,
// which takes it before the call returns: with kill(2) the kernel may choose another
// thread, and this one would run on for a while.
func stop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP) // to itself: there is no error
}
