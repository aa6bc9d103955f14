package keys

// This file has the facts of the probes and of an observed server.

const (
	ProbePrefix     = "probe."           // why one probe could not read
	ProbeMissed     = "probe.missed"     // readings that a probe on another machine missed
	InterfacePrefix = "interface."       // bytes and speed of one network interface of the server's namespace
	UnreadyPrefix   = "unready."         // a counter of the server's cgroup when the server was not ready in time
	UnreadySeconds  = "unready.seconds"  // how long the server was given to become ready
	WatchedLive     = "watched.live"     // true in a run of a server that tare did not start: what it was asked for is not known, and there is no baseline
	WatchedEndedS   = "watched.ended_s"  // after how many seconds of the observation the server ended, or no longer answered
	WatchedMemory   = "watched.memory"   // why the memory counters of a server that has ended could not be read
	WatchedOwnNS    = "watched.own_ns"   // time of tare's own statements in the server
	WatchedReadings = "watched.readings" // why readings from another machine are missing
	WatchedDenied   = "watched.denied"   // the account may not read performance_schema
	WatchedOwnOnly  = "watched.own-only" // the account lacks PROCESS and sees its own sessions only
	WatchedUnit     = "watched.unit"     // what the server counted: transactions or statements
	WatchedLocks    = "watched.locks."   // what sessions waited for row locks and metadata locks: how many, for how long, and who held the locks
	WatchedTimed    = "watched.timed"    // whose time the latency is: that of transactions or that of statements
)
