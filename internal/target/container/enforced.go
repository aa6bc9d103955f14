package container

// What the node enforces of a pod, value by value: weight, quota, memory limit,
// exclusive CPUs.

import (
	"encoding"
	"os"
	"time"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// Override is a setting that can be left as it follows from the pod (unset, or
// true), switched off (false), or given an amount of its own.
type Override[T node.CPU | node.Bytes] struct {
	Off, On bool
	// Amount is 0 where none was written.
	Amount T
}

// UnmarshalText reads true, false or an amount.
func (o *Override[T]) UnmarshalText(b []byte) error {
	switch string(b) {
	case "true":
		*o = Override[T]{On: true}
		return nil
	case "false", "none", "0":
		*o = Override[T]{Off: true}
		return nil
	}
	*o = Override[T]{On: true}
	return any(&o.Amount).(encoding.TextUnmarshaler).UnmarshalText(b)
}

// enforced is what the node is to enforce in place of what follows from the
// requirements.
func (s Settings) enforced(m machine) node.Enforced {
	e := node.Enforced{Unweighted: s.Weight != nil && !*s.Weight, Period: time.Duration(s.QuotaPeriod)}
	largest := m.largest()
	switch {
	case s.Quota.Off, s.unthrottled():
		e.Quota = new(node.CPU)
	case s.Quota.Amount != 0:
		amount := s.Quota.Amount.Resolve(largest.CPU)
		e.Quota = &amount
	}
	switch {
	case s.MemoryLimit.Off:
		e.Memory = new(node.Bytes)
	case s.MemoryLimit.Amount != 0:
		e.Memory = &s.MemoryLimit.Amount
	}
	e.CPUs, _ = m.topology.Take(m.topology.CPUs().Without(s.reservedCPUs(m)), int(s.exclusive(m)/1000))
	return e
}

// unthrottled: a kubelet from 1.33 on writes no quota for a pod to which it gives
// exclusive CPUs (feature gate DisableCPUQuotaWithExclusiveCPUs); quota: true is
// one before it. Where a number of CPUs is given, nothing but they is changed.
func (s Settings) unthrottled() bool {
	return s.Exclusive.On && s.Exclusive.Amount == 0 && !s.Quota.On
}

// exclusive is how much CPU the server has to itself, 0 for none.
func (s Settings) exclusive(m machine) node.CPU {
	switch {
	case !s.Exclusive.On:
		return 0
	case s.Exclusive.Amount == node.MaxCPU:
		return node.CPU(len(m.topology)-len(s.reservedCPUs(m))) * 1000
	case s.Exclusive.Amount != 0:
		return s.Exclusive.Amount
	}
	return s.requirements(m).Limit.CPU
}

// reservedCPUs are those of the arm, or the one that a kubelet with the static
// policy has to keep: it refuses to start without (cpu_manager.go).
func (s Settings) reservedCPUs(m machine) node.CPUSet {
	if len(s.ReservedCPUs) > 0 || !s.Exclusive.On {
		return s.ReservedCPUs
	}
	first, _ := m.topology.Take(m.topology.CPUs(), 1)
	return first
}

// reserveCPUs finds the machine's CPUs, and takes those that are kept for the
// system out of what pods can request, as a kubelet does.
func (c *Container) reserveCPUs() error {
	var err error
	c.machine.topology = c.env.Topology
	if c.machine.topology == nil {
		if c.machine.topology, err = node.ReadTopology(os.DirFS("/")); err != nil {
			return err
		}
	}
	if c.settings.Exclusive.Amount == 0 { // CPUs that are given whatever the pod asks for change nothing else
		c.machine.reserved.CPU += node.CPU(len(c.settings.reservedCPUs(c.machine))) * 1000
	}
	return nil
}

// enforcedContradictions are the settings that no machine could satisfy.
func (s Settings) enforcedContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) { errs = append(errs, target.Wrong(field, format, args...)) }
	if s.Quota.On && s.Quota.Amount == 0 && s.CPU == 0 && s.QoS != node.Guaranteed {
		wrong("quota", "quota: true requires a CPU limit; write an amount, quota: 500m, or a limit, cpu: 500m")
	}
	if s.QuotaPeriod != 0 && (s.Quota.Off || s.Quota.Amount == 0 && s.CPU == 0 && s.QoS != node.Guaranteed) {
		wrong("quotaPeriod", "a period requires a quota; add quota: 500m, or leave it out")
	}
	if s.MemoryLimit.On && s.MemoryLimit.Amount == 0 && s.Memory == 0 && s.QoS != node.Guaranteed {
		wrong("memoryLimit", "the pod has no memory limit; write an amount, memoryLimit: 1Gi, or a limit, memory: 1Gi")
	}
	if n := s.Exclusive.Amount; n != node.MaxCPU && n%1000 != 0 {
		wrong("exclusive", "%v is not a whole number: the static CPU manager assigns only whole CPUs; %s", n, wholeAround("exclusive", n))
	}
	if s.Exclusive.On && s.Exclusive.Amount == 0 {
		switch {
		case s.QoS != node.Guaranteed && (s.CPU == 0 || s.Memory == 0):
			wrong("exclusive", "the static CPU manager assigns exclusive CPUs only to Guaranteed pods; write qos: Guaranteed, or a number, exclusive: 1, for any class")
		case s.CPU != node.MaxCPU && s.CPU%1000 != 0:
			wrong("cpu", "%v is not a whole number, so the static CPU manager assigns no exclusive CPUs to the pod; %s", s.CPU, wholeAround("cpu", s.CPU))
		}
	}
	return errs
}

// wholeAround says which whole numbers of CPUs lie around n.
func wholeAround(field string, n node.CPU) string {
	down := n - n%1000
	if down == 0 {
		return "write " + field + ": 1"
	}
	return "write " + field + ": " + down.String() + " or " + field + ": " + (down + 1000).String()
}

// checkEnforced says what of it this machine cannot do.
func (s Settings) checkEnforced(m machine) []error {
	var errs []error
	wrong := func(field, format string, args ...any) { errs = append(errs, target.Wrong(field, format, args...)) }
	all, reserved := m.topology.CPUs(), s.reservedCPUs(m)
	if absent := reserved.Without(all); len(absent) > 0 {
		wrong("reservedCPUs", "this machine has no CPU %v; its CPUs are %v", absent, all)
		return errs
	}
	asked, free := s.exclusive(m), node.CPU(len(all)-len(reserved))*1000
	switch {
	case s.Exclusive.On && free <= 0: // max asks for none there
		wrong("exclusive", "no CPU can be exclusive: the static CPU manager reserves CPU %v for the system, and this machine has CPU %v; leave exclusive out", reserved, all)
	case asked > free && s.Exclusive.Amount != 0:
		wrong("exclusive", "%v requested, %v can be exclusive: %d minus %d reserved for the system (CPU %v); write exclusive: %v", asked, free, len(all), len(reserved), reserved, free)
	}
	if q := s.Quota.Amount; q != node.MaxCPU && q > m.capacity.CPU {
		wrong("quota", "%v is above this machine's %v and would never be reached; write at most quota: %v", q, m.capacity.CPU, m.capacity.CPU)
	}
	if l := s.MemoryLimit.Amount; l > m.capacity.Memory {
		wrong("memoryLimit", "%v is above this machine's %v and would never be reached; write less or leave it out", l, mebibytes(m.capacity.Memory))
	}
	return errs
}
