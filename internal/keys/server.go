package keys

// This file has the facts of the server and its data.

const (
	ServerExe                    = "server.exe"                      // the path of the server's program
	ServerSHA256                 = "server.sha256"                   // the hash of the server's program
	ServerFlavour                = "server.flavour"                  // the product: mysql or mariadb
	ServerVersion                = "server.version"                  // the release of the server
	ServerSource                 = "server.source"                   // where the server's files come from
	ServerPlace                  = "server.place"                    // where the server runs, if it is in no pod
	ServerUID                    = "server.uid"                      // the user ids of the process
	ServerCgroup                 = "server.cgroup"                   // the cgroups of the process
	ServerCPUShares              = "server.cpu_shares"               // the CPU weight of the server's cgroup in shares of cgroup v1
	ServerCPUsAllowed            = "server.cpus_allowed"             // the CPUs that the process may use
	ServerMemsAllowed            = "server.mems_allowed"             // the NUMA nodes whose memory the process may use
	ServerLimits                 = "server.limits"                   // why the limits of the process are unknown
	ServerLimitsPrefix           = "server.limits."                  // the soft and the hard limit of one resource (proc_pid_limits(5))
	ServerOOMScoreAdj            = "server.oom_score_adj"            // the adjustment of the OOM score of the process
	ServerOOMScoreAdjWanted      = "server.oom_score_adj.wanted"     // the adjustment that a kubelet would set
	ServerSeccomp                = "server.seccomp"                  // the seccomp mode of the process
	ServerNoNewPrivs             = "server.no_new_privs"             // 1 if the process cannot gain privileges
	ServerSpeculationStoreBypass = "server.speculation_store_bypass" // the mitigation of speculative store bypass for the process
	ServerRSS                    = "server.rss"                      // the resident memory of the process
	ServerRSSPeak                = "server.rss_peak"                 // the largest resident memory so far
	ServerSwap                   = "server.swap"                     // the memory of the process that is in swap
	ServerUTimeTicks             = "server.utime_ticks"              // CPU time in user mode, in clock ticks
	ServerSTimeTicks             = "server.stime_ticks"              // CPU time in kernel mode, in clock ticks
	ServerRunNS                  = "server.run_ns"                   // time of all threads on a CPU, in ns
	ServerRunQueueWaitNS         = "server.runqueue_wait_ns"         // time of all threads in a run queue, in ns
	ServerVoluntarySwitches      = "server.voluntary_switches"       // context switches because a thread waited
	ServerNonvoluntarySwitches   = "server.nonvoluntary_switches"    // context switches because a thread had used its time
	ServerIOReadBytes            = "server.io.read_bytes"            // bytes that the process read from storage
	ServerIOWriteBytes           = "server.io.write_bytes"           // bytes that the process wrote to storage
	MySQLVariablePrefix          = "mysql.variable."                 // a global variable of the server, as SHOW GLOBAL VARIABLES gives it
	MySQLVariables               = "mysql.variables"                 // why the variables of the server are unknown
	MySQLDigest                  = "mysql.digest"                    // why the statement digests of the server are unknown
	MySQLDigestPrefix            = "mysql.digest."                   // one of the statement digests that took most time
)

const (
	DataBytes      = "data.bytes"      // the size of the files of the tables and their indexes
	DataEach       = "data.each"       // whether each trial began with new data or with those of the trial before
	DataFilesystem = "data.filesystem" // the file system of the data directory
	DataSHA256     = "data.sha256"     // the checksum of all files of the data directory before the server started
)
