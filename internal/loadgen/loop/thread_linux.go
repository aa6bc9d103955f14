package loop

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownThread gives the calling goroutine a thread of its own, prepared for the loop. It is never unlocked: the
// thread ends with its settings.
func (l *Loop) ownThread() {
	runtime.LockOSThread()
	prepareThread(l.share())
}

// exactThread is ownThread for what measures the clock.
func exactThread() {
	runtime.LockOSThread()
	prepareThread(unix.SCHED_NORMAL, openNice)
}

// prepareThread makes the timer of this thread exact (prctl(2): the default slack
// is 50 us, as much as an operation takes) and gives it its share of a contended CPU.
func prepareThread(policy uint32, nice int) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	schedule(policy, nice)
}

// schedule gives this thread a policy and, where that is allowed, a share of a
// contended CPU that fits its work: one loop serves many connections, each of which
// has a thread of its own in the server, and would get one thread's share.
//
// SCHED_BATCH (sched(7)) means its share, but not at once. A thread that preempts the
// server's on every answer takes answers one by one, and each server thread has to be
// switched to once more only to go to sleep. A closed loop with several connections never preempts; an open
// loop, which has to send when it is due, does so only while it would otherwise wait
// for long (contention).
func schedule(policy uint32, nice int) {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policy, Nice: int32(nice)}
	if unix.SchedSetAttr(0, &a, 0) != nil {
		a.Nice = 0 // a negative niceness is root's (CAP_SYS_NICE); the policy is anyone's
		_ = unix.SchedSetAttr(0, &a, 0)
	}
}

// The niceness of a loop, measured (docs/results/performance.md). That of an open loop which
// preempts is the lowest that helps it to be in time. A closed loop needs weight only where it
// speaks for many server threads; at -10 it takes so much that the server, which
// limits the load, gets too little.
const (
	openNice   = -10
	closedNice = -6
	fewThreads = 8
)

// share is the policy and the niceness of the loop's thread; those of an open loop depend on whether
// it preempts.
func (l *Loop) share() (policy uint32, nice int) {
	if l.contention.preempting {
		return unix.SCHED_NORMAL, openNice
	}
	if l.open && len(l.conns) > 1 {
		return unix.SCHED_BATCH, 0
	}
	return closedShare(len(l.conns))
}

// closedShare is that of a closed loop. With a single connection it
// is a thread like one of an application, and like the server's for that connection: there are no
// other answers that it could take at the same time.
func closedShare(connections int) (policy uint32, nice int) {
	switch {
	case connections <= 1:
		return unix.SCHED_NORMAL, 0
	case connections <= fewThreads:
		return unix.SCHED_BATCH, 0
	}
	return unix.SCHED_BATCH, closedNice
}

func threadID() int { return unix.Gettid() }

// threadUsage is the CPU time of the calling thread, and how often it gave up its CPU.
func threadUsage() (user, system time.Duration, sleeps int64) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &r); err != nil {
		return 0, 0, 0 // every kernel since 2.6.26 has it
	}
	return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano()), r.Nvcsw
}

// processUsage is the CPU time of this process.
func processUsage() (user, system time.Duration) {
	var r syscall.Rusage
	_ = syscall.Getrusage(unix.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
}

// doze sleeps for so many nanoseconds without telling the scheduler (see [Loop.wait]).
func doze(nap int64) {
	t := unix.NsecToTimespec(nap)
	// Interrupted by the runtime's signal it is over early, which does no harm.
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
