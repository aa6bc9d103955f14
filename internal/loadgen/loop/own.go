package loop

import (
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Network is what the kernel knows of the connections (TCP_INFO); zero for Unix
// sockets.
type Network struct {
	Sockets int
	// RTT is the smoothed round-trip time of the median connection, Slowest that
	// of the slowest. They hold the time until the server's kernel acknowledged,
	// not until the server answered.
	RTT, Slowest time.Duration
	// Min is the smallest round trip the median connection ever had. On a request
	// and answer protocol it is the network's, while RTT also holds the server's
	// work: an acknowledgement waits for the answer to travel with (RFC 1122,
	// 4.2.3.2).
	Min         time.Duration
	Retransmits int64
}

func measureNetwork(conns []*connection) Network {
	var n Network
	var rtts, mins []int
	for _, c := range conns {
		if c.wire == nil {
			continue
		}
		info, err := c.wire.TCPInfo()
		if err != nil {
			continue // a Unix socket
		}
		rtts = append(rtts, int(info.RTT))
		mins = append(mins, int(info.MinRTT))
		n.Retransmits += int64(info.Retransmitted)
	}
	return n.of(rtts, mins)
}

func (n Network) of(rtts, mins []int) Network {
	if n.Sockets = len(rtts); n.Sockets > 0 {
		sort.Ints(rtts)
		sort.Ints(mins)
		n.Min = time.Duration(mins[len(mins)/2]) * time.Microsecond
		n.RTT = time.Duration(rtts[len(rtts)/2]) * time.Microsecond
		n.Slowest = time.Duration(rtts[len(rtts)-1]) * time.Microsecond
	}
	return n
}

// ownUse is what a loop's thread used and waited for in the window: the sign of a
// saturated generator.
type ownUse struct {
	tid            int
	ran, waited    int64 // nanoseconds: on a processor, on its run queue
	ran0, waited0  int64
	user, system   time.Duration
	user0, system0 time.Duration
	// preempted is the time in which it preempted, of an open loop.
	preempted, preempted0 int64
	// made counts all system calls so far; calls are those of the window.
	made, made0, calls Calls
	begun, measured    bool
	// throttledSoFar is for how long a quota has held up the process; nil where the loop does not
	// count that. A process of several jobs has turns that are not the job's, and one of a single
	// job has nothing to do in others' turns, so it is counted over the job's own turns.
	throttledSoFar        func() time.Duration
	throttled, throttled0 time.Duration
}

// begin is called on the loop's own thread; preempted is the time in which it has
// preempted so far.
func (u *ownUse) begin(preempted int64) {
	u.tid = threadID()
	u.ran0, u.waited0, u.begun = schedstat(u.tid)
	u.user0, u.system0, u.made.Sleeps = threadUsage()
	u.made0 = u.made
	u.preempted0 = preempted
	if u.throttledSoFar != nil {
		u.throttled0 = u.throttledSoFar()
	}
}

// end adds what was used since begin: once, or once a turn.
func (u *ownUse) end(preempted int64) {
	if !u.begun {
		return
	}
	if ran, waited, ok := schedstat(u.tid); ok {
		u.ran, u.waited, u.measured = u.ran+ran-u.ran0, u.waited+waited-u.waited0, true
	}
	u.preempted += preempted - u.preempted0
	user, system, sleeps := threadUsage()
	u.made.Sleeps = sleeps
	u.calls = u.calls.plus(u.made.minus(u.made0))
	u.user, u.system = u.user+user-u.user0, u.system+system-u.system0
	if u.throttledSoFar != nil {
		u.throttled += u.throttledSoFar() - u.throttled0
	}
	u.begun = false
}

// schedstat reads a thread's time on a processor and on its run queue
// (Documentation/scheduler/sched-stats.rst).
func schedstat(tid int) (ran, waited int64, ok bool) {
	b, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(tid) + "/schedstat")
	if err != nil {
		return 0, 0, false
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0, 0, false
	}
	ran, err1 := strconv.ParseInt(f[0], 10, 64)
	waited, err2 := strconv.ParseInt(f[1], 10, 64)
	return ran, waited, err1 == nil && err2 == nil
}
