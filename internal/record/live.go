package record

// Keys of facts about a server that another program loads.
const (
	// WatchedLive is "true" in a run of a server that tare did not start: what it was asked
	// for is not known, and there is no baseline.
	WatchedLive = "watched.live"
	// WatchedEnded is how many seconds after the beginning of the span the server ended, or
	// stopped to answer; absent where it did not.
	WatchedEnded = "watched.ended_s"
	// WatchedMemory is why the memory counters of the cgroup of a server that has ended could
	// not be read afterwards; absent where they were.
	WatchedMemory = "watched.memory"
	// CPUShares are the CPU shares of the server's own cgroup (cpu.shares of cgroup v1).
	CPUShares = "server.cpu_shares"
)
