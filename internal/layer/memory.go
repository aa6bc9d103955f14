package layer

import "time"

// Memory is how long the state of a layer remembers what was asked of it before. A
// server that begins its turn meets the state of one that was idle; after so long
// under load it is that of one that never was. What only the server's own time
// changes, such as its buffer pool, needs none: between its turns it is frozen, or has no load.
type Memory struct {
	// Layer is its code: "memory.<code>" in internal/report/language says what it is, and
	// "memory.<code>.source" where For comes from.
	Layer string
	For   time.Duration
	// WorksOn: the layer continues what the server has submitted while the server is frozen,
	// and no lead-in is long enough for what has then been done.
	WorksOn bool
	// Period is a cycle of which a slice should hold a whole number; 0 for none.
	Period time.Duration
}

// The memories of the layers, each with what sets it.

// CacheMemory is that of every server: processor caches, and connections that were
// idle (tcp_slow_start_after_idle, ip-sysctl.rst: the window begins small again, and
// has grown after a few round trips).
func CacheMemory() Memory {
	return Memory{Layer: "caches", For: 20 * time.Millisecond}
}

// ElsewhereMemory is that of a server that somebody else runs. Its layers cannot be read, so that it is taken to have
// the one with the longest memory that is usual there: a CPU quota with the default period (CFS bandwidth: 100 ms).
func ElsewhereMemory() Memory {
	const period = 100 * time.Millisecond
	return Memory{Layer: "elsewhere", For: 2 * period, Period: period}
}

// WeightMemory is that of cgroup weights and of neighbours: the scheduler divides a
// group's weight over the CPUs by load averages with a half-life of 32 ms, which a
// frozen group's lose (kernel/sched/pelt.c; calc_group_shares in fair.c). After three
// half-lives nine tenths are there again.
func WeightMemory() Memory {
	return Memory{Layer: "cpu-weight", For: 100 * time.Millisecond}
}

// QuotaMemory is that of a CPU quota: an idle group's first period is fresh, so that a
// turn begins with quota that it did not have to wait for. In the second period after
// it the group is where one under constant load is.
func QuotaMemory(period time.Duration) Memory {
	return Memory{Layer: "cpu-quota", For: 2 * period, Period: period}
}

// IOMemory is that of I/O limits: the block layer counts operations in slices of 100 ms
// and lets an idle group begin a new one (throtl_slice, block/blk-throttle.c). Its timers do not
// stop for a frozen group: what the server had submitted is dispatched at the limit meanwhile.
// A page cleaner submits hundreds of writes at once, which are seconds of a small limit.
func IOMemory() Memory {
	return Memory{Layer: "io-limits", For: 200 * time.Millisecond, Period: 100 * time.Millisecond, WorksOn: true}
}

// RateMemory is that of a link's rate: a token bucket that filled while nothing was
// sent, and the queue before it.
func RateMemory(burst, queue time.Duration) Memory {
	return Memory{Layer: "link-rate", For: 2 * (burst + queue)}
}

// DelayMemory is that of a link's delay: ten round trips for what TCP has to find out
// again after idling.
func DelayMemory(delay time.Duration) Memory {
	return Memory{Layer: "link-delay", For: 20 * delay}
}

// WriteMemory is that of a disk that a neighbour or the server writes to: the kernel
// goes on to write what was dirty when a server was frozen. Direct I/O has nothing
// dirty; what else is written is the log, which every commit waits for.
func WriteMemory() Memory {
	return Memory{Layer: "volume", For: 50 * time.Millisecond}
}

// Longest is the memory that decides the lead-in of all arms, and the longest period.
func Longest(all []Memory) (longest Memory, period time.Duration) {
	for _, m := range all {
		if m.For > longest.For {
			longest = m
		}
		period = max(period, m.Period)
	}
	return longest, period
}
