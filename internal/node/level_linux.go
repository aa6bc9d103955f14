package node

import (
	"github.com/containerd/cgroups/v3/cgroup2"
	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// limits are the values of one cgroup, in the units of cgroup v1; a zero is not
// written, and the kernel's default stays.
type limits struct {
	shares uint64
	// unweighted keeps the kernel's default weight, whatever shares say.
	unweighted bool
	quota      int64  // microseconds
	period     uint64 // microseconds
	memory     Bytes
	cpus       string // the CPUs its processes may run on; "" is the parent's
	throttle   Throttle
	// container marks the lowest level, which a runtime writes and a kubelet
	// does not.
	container bool
}

// level is one cgroup of the tree.
type level struct {
	// key names the level in facts: kubepods, burstable, pod, container.
	key    string
	path   string // from the root of a hierarchy
	limits limits
}

// nodeLimits are those of the kubepods cgroup while enforceNodeAllocatable is
// "pods", the default: all that pods may request, and the memory that hard
// eviction keeps free on top, so that eviction comes before the kernel's
// killer (node_container_manager_linux.go, getNodeAllocatableInternalAbsolute).
func nodeLimits(capacity, reserved Resources) limits {
	a := Allocatable(capacity, reserved)
	return limits{shares: Shares(a.CPU), memory: a.Memory}
}

// podLimits are those of a pod's own cgroup (ResourceConfigForPod). With one
// container the pod's sums are the container's values.
func podLimits(r Requirements, e Enforced) limits {
	r = r.Defaulted()
	l := limits{shares: Shares(r.Request.CPU), unweighted: e.Unweighted, memory: r.Limit.Memory}
	if e.Memory != nil {
		l.memory = *e.Memory
	}
	cpu, period := r.Limit.CPU, DefaultPeriod
	if e.Quota != nil {
		cpu = *e.Quota
	}
	if e.Period > 0 {
		period = e.Period
	}
	if cpu > 0 {
		l.quota = Quota(cpu, period)
		l.period = uint64(period.Microseconds())
	}
	return l
}

// containerLimits are those of the container's cgroup, which the kubelet hands
// to the runtime (kuberuntime_container_linux.go, calculateLinuxResources). The
// CPUs are the container's alone: a kubelet writes no cpuset for a pod.
func containerLimits(r Requirements, e Enforced) limits {
	l := podLimits(r, e)
	l.container, l.cpus = true, e.CPUs.String()
	return l
}

// defaultShares and defaultWeight are what the kernel gives a new cgroup
// (cgroup-v1/cgroups.rst, cgroup-v2.rst).
const (
	defaultShares = uint64(1024)
	defaultWeight = uint64(100)
)

// weightShares are the shares to write: for a level without a weight of its own
// the kernel's default, so that one that had a weight loses it.
func (l limits) weightShares() uint64 {
	if l.unweighted {
		return defaultShares
	}
	return l.shares
}

// oci are the limits in the form the OCI runtime and the cgroup v1 library take.
// swap says that the kernel accounts for swap.
func (l limits) oci(swap bool) *specs.LinuxResources {
	shares := l.weightShares()
	cpu, memory := &specs.LinuxCPU{Shares: &shares, Cpus: l.cpus}, &specs.LinuxMemory{}
	if l.quota > 0 {
		cpu.Quota, cpu.Period = &l.quota, &l.period
	}
	if l.memory > 0 {
		limit := int64(l.memory)
		memory.Limit = &limit
		if l.container && swap {
			// A kubelet gives a container no swap unless NodeSwap says otherwise: memory
			// and swap together are as large as memory alone (ConfigureNoSwap).
			memory.Swap = &limit
		}
	}
	return &specs.LinuxResources{CPU: cpu, Memory: memory, BlockIO: l.throttle.blockIO()}
}

// unified are the limits as cgroup v2 files. weight is the formula of whoever
// writes the level.
func (l limits) unified(swap bool, weight func(shares uint64) uint64) *cgroup2.Resources {
	w := defaultWeight
	if !l.unweighted {
		w = weight(l.shares)
	}
	cpu, memory := &cgroup2.CPU{Weight: &w, Cpus: l.cpus}, &cgroup2.Memory{}
	if l.quota > 0 {
		cpu.Max = cgroup2.NewCPUMax(&l.quota, &l.period)
	}
	if l.memory > 0 {
		limit := int64(l.memory)
		memory.Max = &limit
	}
	if l.container {
		// singleProcessOOMKill is false by default on v2: the kernel kills the
		// container as a whole.
		group := true
		memory.OOMGroup = &group
		if swap {
			none := int64(0)
			memory.Swap = &none
		}
	}
	return &cgroup2.Resources{CPU: cpu, Memory: memory}
}
