package node

import (
	"math"
	"time"
)

// The values that kubelet and runtime write into cgroups. Sources, unless said
// otherwise: Kubernetes v1.34 pkg/kubelet/cm/helpers_linux.go and
// cgroup_manager_linux.go, pkg/kubelet/qos/policy.go.

const (
	minShares = 2
	maxShares = 262144
)

// DefaultPeriod is the CFS period of a kubelet whose cpuCFSQuotaPeriod is not
// set.
const DefaultPeriod = 100 * time.Millisecond

// Shares is cpu.shares of a CPU request (MilliCPUToShares). No request is 2
// shares, the kernel's least.
func Shares(request CPU) uint64 {
	const limit = CPU(maxShares) * 1000 / 1024
	if request >= limit {
		return maxShares
	}
	return max(minShares, uint64(request)*1024/1000)
}

// LinearWeight is the cpu.weight (cgroup v2) of shares by the older formula.
// Kubelets up to 1.36 at least use it for pods and all levels above them, and
// runc before 1.3.2 and crun before 1.23 for containers.
func LinearWeight(shares uint64) uint64 {
	return 1 + (clampShares(shares)-2)*9999/262142
}

// QuadraticWeight is the cpu.weight (cgroup v2) of shares by the newer formula,
// which maps 1024 shares to the kernel's default of 100: runc from 1.3.2 and
// crun from 1.23 use it for containers (opencontainers/cgroups utils.go,
// ConvertCPUSharesToCgroupV2Value).
func QuadraticWeight(shares uint64) uint64 {
	if shares <= minShares {
		return 1
	}
	if shares >= maxShares {
		return 10000
	}
	l := math.Log2(float64(shares))
	return uint64(math.Ceil(math.Pow(10, (l*l+125*l)/612-7.0/34)))
}

func clampShares(shares uint64) uint64 { return min(max(shares, minShares), maxShares) }

// Quota is the CFS quota of a CPU limit in microseconds (MilliCPUToQuota): at
// least 1 ms, the kernel's least; 0, no quota, where there is no limit.
func Quota(limit CPU, period time.Duration) int64 {
	if limit == 0 {
		return 0
	}
	return max(1000, int64(limit)*period.Microseconds()/1000)
}

// OOMScoreAdj is how readily the kernel kills a container's processes when
// memory runs out, -1000 to 1000 (GetContainerOOMScoreAdjust). capacity is the
// node's memory, not what can be allocated of it.
func OOMScoreAdj(class QoS, request, capacity Bytes) int {
	switch class {
	case Guaranteed:
		return -997
	case BestEffort:
		return 1000
	}
	if request >= capacity {
		return 1000 - 997
	}
	adj := 1000 - 1000*int64(request)/int64(capacity)
	// A Burstable container must stay above Guaranteed ones and below BestEffort
	// ones, whatever it requests.
	return int(min(max(adj, 1000-997), 999))
}

// Allocatable is what pods may request of a machine: its capacity without what
// is kept for the system (kube-reserved, system-reserved and the threshold of
// hard eviction). Never less than nothing.
func Allocatable(capacity, reserved Resources) Resources {
	return Resources{
		CPU:    max(0, capacity.CPU-reserved.CPU),
		Memory: max(0, capacity.Memory-reserved.Memory),
	}
}

// LargestRequest is the largest request that still fits: what can be allocated
// without what the other pods of the node request. The scheduler compares with
// this and never with the capacity, which is why 56 CPUs do not fit on a node
// of 56 that runs one system pod with a request.
func LargestRequest(allocatable Resources, others ...Resources) Resources {
	for _, o := range others {
		allocatable = Allocatable(allocatable, o)
	}
	return allocatable
}
