package record

// Keys of facts about a server that another program loads.
const (
	// WatchedLive is "true" in a run of a server that tare did not start: what it was asked
	// for is not known, and there is no baseline.
	WatchedLive = "watched.live"
	// CPUShares are the CPU shares of the server's own cgroup (cpu.shares of cgroup v1).
	CPUShares = "server.cpu_shares"
)
