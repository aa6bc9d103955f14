package keys

// This file has the facts of the machine and of its other load.

const (
	HostArch                   = "host.arch"                     // the processor architecture, as Go names it
	HostClocksource            = "host.clocksource"              // the kernel's current clock source
	HostCPUCount               = "host.cpu.count"                // CPUs that tare may use (sched_getaffinity(2))
	HostCPUGovernor            = "host.cpu.governor"             // the frequency governor of CPU 0
	HostCPUMicrocode           = "host.cpu.microcode"            // the revision of the microcode
	HostCPUModel               = "host.cpu.model"                // the model name of the CPU
	HostCPUSMT                 = "host.cpu.smt"                  // 1 if simultaneous multithreading is active
	HostKernel                 = "host.kernel"                   // the release of the kernel
	HostKernelCmdline          = "host.kernel.cmdline"           // the kernel's command line
	HostLoad                   = "host.load"                     // the load averages of the machine (proc_loadavg(5))
	HostMachine                = "host.machine"                  // a keyed hash of the machine's id: equal for runs of one machine, and no way back to the id
	HostMemory                 = "host.memory"                   // the memory of the machine
	HostMemorySwap             = "host.memory.swap"              // the swap space of the machine
	HostMemoryTHP              = "host.memory.thp"               // the mode of transparent huge pages
	HostNUMANodes              = "host.numa.nodes"               // the NUMA nodes that are online
	HostOS                     = "host.os"                       // the name of the operating system
	HostVulnerabilityMDS       = "host.vulnerability.mds"        // the mitigation of MDS, which changes the cost of a system call
	HostVulnerabilitySpectreV2 = "host.vulnerability.spectre_v2" // the mitigation of Spectre v2, which changes the cost of a system call
)

const (
	GateBusiest       = "gate.busiest"        // the other processes that used most of the CPU during the load: a JSON list of name and cpu_s
	GateLoad          = "gate.load"           // where the load generators were: "here" on the machine that the gates are of, which is tare's own, or "elsewhere"
	GateServer        = "gate.server"         // where the server was: "here" on the machine that the gates are of, or "elsewhere"
	GateForeignS      = "gate.foreign_s"      // CPU seconds of processes that are not tare's, since they started
	GateMachineS      = "gate.machine_s"      // CPU seconds of the whole machine since it started, idle included
	GateStealS        = "gate.steal_s"        // CPU seconds that a hypervisor gave to others
	GateThermalEvents = "gate.thermal_events" // how often a core or package was slowed because it was too hot
	SentinelPrefix    = "sentinel."           // the time of a fixed piece of work of one resource, which tells whether the machine changed
)
