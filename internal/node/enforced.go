package node

import (
	"fmt"
	"time"
)

// Enforced is what the node writes into a pod's cgroups in place of what follows
// from the pod's requests and limits, so that each value can be switched alone.
// The zero value changes nothing: a kubelet with its defaults.
type Enforced struct {
	// Unweighted leaves the pod and every level above it at the kernel's default
	// weight.
	Unweighted bool
	// Quota is the CPU of the CFS quota, 0 for none; nil is the CPU limit's. A
	// kubelet with cpuCFSQuota: false writes none.
	Quota *CPU
	// Period is the CFS period, a kubelet's cpuCFSQuotaPeriod; 0 is its default.
	Period time.Duration
	// Memory is the memory limit, 0 for none; nil is the pod's own.
	Memory *Bytes
	// CPUs are those the container may run on; none is those of the tree's shared pool, or all.
	CPUs CPUSet
}

// The bounds of cpu.cfs_period_us (kernel/sched/core.c, tg_set_cfs_bandwidth).
const (
	minPeriod = time.Millisecond
	maxPeriod = time.Second
)

// Period is a CFS period: an amount of time that the kernel takes as one. 0 is not
// set.
type Period time.Duration

// UnmarshalText reads 100ms.
func (p *Period) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	if err != nil || d < minPeriod || d > maxPeriod {
		return fmt.Errorf("%.40q is not a period of a CPU quota; use %v to %v, such as 100ms", b, minPeriod, maxPeriod)
	}
	*p = Period(d)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (p Period) MarshalText() ([]byte, error) { return []byte(time.Duration(p).String()), nil }
