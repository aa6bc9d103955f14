package keys

// This file has the facts of the load and of the neighbour.

const (
	EngineVersion               = "engine.version"                  // the release of the load engine
	LoadFrom                    = "load.from"                       // where the load comes from
	LoadClient                  = "load.client"                     // where the load's Job runs
	LoadPods                    = "load.pods"                       // how many pods send the load
	LoadPodPrefix               = "load.pod."                       // the node, the QoS class and the boot id of the kernel of one pod that sends load
	LoadPod0QoS                 = "load.pod.0.qos"                  // the QoS class of the first pod that sends load
	LoadMemberPrefix            = "load.member."                    // the throughput that one member of a replicated database served
	LoadRate                    = "load.rate"                       // the rate of an open loop that an imported log names; a closed loop has none
	LoadTest                    = "load.test"                       // what the file of another program says of its test
	LoadLoops                   = "load.loops"                      // event loops of the load engine
	LoadBusiestLoop             = "load.busiest_loop"               // the share of the time for which the busiest loop was on a CPU or waited for one
	LoadCPUUserS                = "load.cpu_user_s"                 // CPU seconds of the load engine in user mode
	LoadCPUSystemS              = "load.cpu_system_s"               // CPU seconds of the load engine in kernel mode
	LoadRunQueueS               = "load.run_queue_s"                // seconds for which the load engine waited for a CPU
	LoadThrottledS              = "load.throttled_s"                // seconds for which the load engine's cgroup was throttled
	LoadThrottledOfS            = "load.throttled_of_s"             // the time over which throttled_s was counted
	LoadSystemCallsPerStatement = "load.system_calls_per_statement" // system calls of the load engine for each statement
	LoadWakeUpsPerStatement     = "load.wake_ups_per_statement"     // how often a loop of the load engine was woken up for each statement
	LoadInvalid                 = "load.invalid"                    // why the load engine could not send the planned load
	LoadInvalidCode             = "load.invalid_code"               // the same as a code
	LoadMinRTTUS                = "load.min_rtt_us"                 // the shortest round trip of the connections, as the kernel measured it
	LoadRTTUS                   = "load.rtt_us"                     // the mean round trip of the connections, as the kernel measured it
	LoadRetransmits             = "load.retransmits"                // segments that the connections sent again
	LoadErrorsPrefix            = "load.errors."                    // how often the server answered with one error
	LoadStartLateMS             = "load.start_late_ms"              // how much later than planned the load began
	LoadPreemptingS             = "load.preempting_s"               // seconds for which the clock of an open loop preempted others
	LoadLatenessP99MS           = "load.lateness_p99_ms"            // the 99th percentile of the time between due and sent in an open loop
	LoadArrivalsDue             = "load.arrivals_due"               // transactions that were due in an open loop
	LoadArrivalsUnsent          = "load.arrivals_unsent"            // transactions that were due and for which no connection was free
	LedgerAcknowledged          = "ledger.acknowledged"             // commits that the server acknowledged
	LedgerMemberPrefix          = "ledger.member."                  // what one member has of the acknowledged commits
	ClockUncertaintyMS          = "clock.uncertainty_ms"            // by how much the clocks of the load pods may differ from that of tare's host; 0 where one clock keeps all turns
	SlicesFrozen                = "slices.frozen"                   // how the server was stopped outside its turns
	SlicesLateMS                = "slices.late_ms"                  // the largest delay of a switch of turns
	SlicesNotFrozen             = "slices.not_frozen"               // turns of others in which the server was not stopped
	SlicesNotThawed             = "slices.not_thawed"               // turns of the server in which it was not running
)

const (
	NeighbourAlive             = "neighbour.alive"                // whether the neighbour ran until the end
	NeighbourCgroup            = "neighbour.cgroup"               // why the neighbour's cgroup is unknown
	NeighbourCPU               = "neighbour.cpu"                  // the CPUs that the neighbour asks for
	NeighbourMemory            = "neighbour.memory"               // the memory that the neighbour holds
	NeighbourMemoryBandwidth   = "neighbour.memory_bandwidth"     // threads of the neighbour that copy memory
	NeighbourDisk              = "neighbour.disk"                 // threads of the neighbour that write and sync
	NeighbourNetwork           = "neighbour.network"              // connections of the neighbour that send
	NeighbourTurns             = "neighbour.turns"                // turns of its server in which the neighbour worked; it is idle in all others
	NeighbourLateMS            = "neighbour.late_ms"              // the longest time by which the neighbour began later than a turn
	NeighbourClockMS           = "neighbour.clock_ms"             // by how much the clock of the neighbour's node may differ from that of the load generators
	NeighbourQoS               = "neighbour.qos"                  // the QoS class of the neighbour
	NeighbourNode              = "neighbour.node"                 // the node of the neighbour
	NeighbourOOMScoreAdj       = "neighbour.oom_score_adj"        // the adjustment of the OOM score of the neighbour
	NeighbourOOMScoreAdjWanted = "neighbour.oom_score_adj.wanted" // the adjustment that a kubelet would set for the neighbour
)
