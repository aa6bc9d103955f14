package runner

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// urgent gives this goroutine a thread of its own with a real-time priority (sched(7),
// SCHED_RR), where the right to is there: a thread that waits for a CPU behind the servers
// begins their turns late. It sleeps almost always. release undoes both.
func urgent() (release func()) {
	runtime.LockOSThread()
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		normal := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		_ = unix.SchedSetAttr(0, &normal, 0) // a right is not needed to give one up
		runtime.UnlockOSThread()
	}
}

// sleepUntil sleeps the last stretch in the kernel: a timer of Go's runtime fires on
// another thread, which has no priority.
func sleepUntil(ctx context.Context, at time.Time) bool {
	const inKernel = 20 * time.Millisecond
	if early := time.Until(at) - inKernel; early > 0 && !sleep(ctx, early) {
		return false
	}
	for left := time.Until(at); left > 0 && ctx.Err() == nil; left = time.Until(at) {
		span := unix.NsecToTimespec(int64(left))
		_ = unix.Nanosleep(&span, nil) // a signal ends it early
	}
	return ctx.Err() == nil
}
