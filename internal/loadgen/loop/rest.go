package loop

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A closed loop rests for restShare of a statement's typical latency before it
// waits for events, but not for less than shortestRest, which is what going to
// sleep costs by itself.
const (
	restShare    = 12 // a 12th: 8 %
	fewestBusy   = 25 // connections with a transaction under way
	shortestRest = int64(30 * time.Microsecond)
	longestRest  = int64(time.Millisecond)
	// enough answers in a batch need no rest to gather more.
	enough = 16
)

// rest lets answers gather. Where each comes alone, each wakes the loop's thread:
// that costs the client more than the answer itself, and the server, whose send
// has to wake us, its share. While nobody waits on the epoll set, an answer is
// noted and that is all.
//
// A connection's next statement is later by half a rest in the mean, 4 % of what it
// then takes. Where the server is what limits the load, its queue is shorter by
// that, and nothing is lost. What is measured stays true: the end of a statement is
// the kernel's stamp, its beginning the moment it is sent. Without stamps there is
// no rest; nor in the open loop, where operations are due at their time; nor with
// so few connections that a rest would gather an answer or two.
//
// With a 25th of the latency, one loop of 64 connections gathers 4 answers for a wait, with a 12th 7, and
// its CPU time is less by a fifth (docs/performance.md).
func (l *Loop) rest() {
	if l.open || l.resting() || !l.stamps || l.busy < fewestBusy || l.batch >= enough {
		return
	}
	nap := l.typical / restShare
	if nap < shortestRest {
		return
	}
	nap = min(nap, longestRest, l.next()-l.clock())
	if nap <= 0 {
		return
	}
	l.own.made.Rests++
	t := unix.NsecToTimespec(nap)
	// Interrupted by the runtime's signal it is over early, which does no harm.
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
