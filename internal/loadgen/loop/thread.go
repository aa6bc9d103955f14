package loop

import "golang.org/x/sys/unix"

// prepareThread makes the timer of this thread exact (prctl(2): the default slack
// is 50 us, as much as an operation takes) and, where that is allowed, gives it a
// share of a contended processor that fits its work: one loop serves many
// connections, each of which has a thread of its own in the server, and would get
// one thread's share.
//
// A closed loop asks for SCHED_BATCH as well (sched(7)): its share, but not at
// once. A thread that preempts the server's on every answer takes answers one by
// one, and each server thread has to be switched to once more only to go to
// sleep. An open loop has to send when it is due, and preempts.
func prepareThread(policy uint32, nice int) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policy, Nice: int32(nice)}
	if unix.SchedSetAttr(0, &a, 0) != nil {
		a.Nice = 0 // a negative niceness is root's (CAP_SYS_NICE); the policy is anyone's
		_ = unix.SchedSetAttr(0, &a, 0)
	}
}

// The niceness of a loop, measured (docs/performance.md). An open loop's is the
// lowest that helps it to be in time. A closed loop needs weight only where it
// speaks for many server threads; at -10 it takes so much that the server, which
// limits the load, gets too little.
const (
	openNice   = -10
	closedNice = -6
	fewThreads = 8
)

func niceOf(connections int) int {
	if connections <= fewThreads {
		return 0
	}
	return closedNice
}
