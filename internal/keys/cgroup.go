package keys

// This file has the facts of the server's cgroups.

const (
	CgroupOwn                           = "cgroup.own"                               // why the server's own cgroup is unknown
	CgroupOwnPrefix                     = "cgroup.own."                              // a file of the server's own cgroup
	CgroupContainerPrefix               = "cgroup.container."                        // a file of the container's cgroup
	CgroupContainerCPUCFSPeriodUS       = "cgroup.container.cpu.cfs_period_us"       // the CFS period of the container's cgroup
	CgroupContainerCPUCFSQuotaUS        = "cgroup.container.cpu.cfs_quota_us"        // the CFS quota of the container's cgroup
	CgroupContainerCPUShares            = "cgroup.container.cpu.shares"              // the CPU shares of the container's cgroup
	CgroupContainerCPUStatNrPeriods     = "cgroup.container.cpu.stat.nr_periods"     // CFS periods of the container's cgroup
	CgroupContainerCPUStatNrThrottled   = "cgroup.container.cpu.stat.nr_throttled"   // CFS periods in which the container's quota was used up
	CgroupContainerCPUStatThrottledTime = "cgroup.container.cpu.stat.throttled_time" // time for which the container's cgroup was throttled, in ns
	CgroupContainerCPUAcctUsage         = "cgroup.container.cpuacct.usage"           // CPU time of the container's cgroup, in ns
	CgroupContainerMemoryLimitInBytes   = "cgroup.container.memory.limit_in_bytes"   // the memory limit of the container's cgroup
	CgroupPodPrefix                     = "cgroup.pod."                              // a file of the pod's cgroup
	CgroupKubepodsPrefix                = "cgroup.kubepods."                         // a file of the cgroup of all pods
	CgroupBurstablePrefix               = "cgroup.burstable."                        // a file of the cgroup of all Burstable pods
	CgroupBestEffortPrefix              = "cgroup.besteffort."                       // a file of the cgroup of all BestEffort pods
	CgroupCPU                           = "cgroup.cpu"                               // why the CPU time of the server's cgroup is unknown
	CgroupMemory                        = "cgroup.memory"                            // why the memory of the server's cgroup is unknown
)
