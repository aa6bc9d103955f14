package container

import (
	"errors"
	"fmt"

	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/members"
)

// Settings are an arm's own: a pod's resources, and its neighbour.
type Settings struct {
	// QoS is the class the pod is to have. It follows from the resources; naming
	// it supplies the defaults and is checked against them. Guaranteed alone is
	// as much as the machine can give.
	QoS node.QoS `yaml:"qos"`
	// CPU and Memory are the limits; "max" is the largest amount that could also
	// be requested.
	CPU    node.CPU   `yaml:"cpu"`
	Memory node.Bytes `yaml:"memory"`
	// CPURequest and MemoryRequest are the requests; without them, the limits.
	CPURequest    node.CPU   `yaml:"cpuRequest"`
	MemoryRequest node.Bytes `yaml:"memoryRequest"`
	// Shape is an instance of a cloud's, "4x16", in place of class and amounts.
	Shape string `yaml:"shape"`
	// Weight, Quota and MemoryLimit say what the node enforces of them, each on its
	// own: "false" leaves a value out, an amount of quota or memory is put in the
	// place of the pod's. Unset is what a kubelet does.
	Weight      *bool                `yaml:"weight"`
	Quota       Override[node.CPU]   `yaml:"quota"`
	QuotaPeriod node.Period          `yaml:"quotaPeriod"`
	MemoryLimit Override[node.Bytes] `yaml:"memoryLimit"`
	// Exclusive are the CPUs that the server has to itself, as the static CPU
	// manager gives them: "true" for as many as cpu says, or a whole number for so
	// many whatever the pod asks for.
	Exclusive Override[node.CPU] `yaml:"exclusive"`
	// ReservedCPUs are kept for the system; nothing is one CPU where Exclusive asks
	// for some.
	ReservedCPUs node.CPUSet `yaml:"reservedCPUs"`
	// FileSystem is "volume", or "overlay" for the container's own file system
	// between the server and the volume. Volume is what lies below: "hostPath",
	// "block" or "tmpfs", of VolumeSize.
	FileSystem string     `yaml:"filesystem"`
	Volume     string     `yaml:"volume"`
	VolumeSize node.Bytes `yaml:"volumeSize"`
	// IO bounds the reads and writes of the volume.
	IO IO `yaml:"io"`
	// Seccomp is "RuntimeDefault", or "Unconfined" as a kubelet leaves it.
	Seccomp         string       `yaml:"seccomp"`
	NoNewPrivileges bool         `yaml:"noNewPrivileges"`
	Capabilities    Capabilities `yaml:"capabilities"`
	// Neighbour is a pod beside the server.
	Neighbour *node.Neighbour `yaml:"neighbour"`
	// Client is where the load comes from; without it, over the socket.
	Client string `yaml:"client"`
	// ClientCPU puts the load into a pod of its own beside the server's, with this
	// limit; without it, the load is tare's own.
	ClientCPU node.CPU `yaml:"clientCPU"`
	// Reconnect is after how many transactions a connection is ended and another
	// made; 0 keeps them.
	Reconnect int `yaml:"reconnect"`
	// HugePages is "never" where the server gets no transparent huge pages, whatever
	// the node gives others.
	HugePages string `yaml:"hugePages"`
	// Network gives the server a pod's network; without it, its node's.
	Network *network.Block `yaml:"network"`
	// Service puts a Service's address between client and server.
	Service *network.Service `yaml:"service"`
	// Replication makes the server the first of several members of one database, each in a
	// pod of its own of this shape.
	Replication *replication.Settings `yaml:"replication"`
	// Events happen to the database while it is loaded; Faults is their name in older files.
	Events []event.Event `yaml:"events"`
	Faults []event.Event `yaml:"faults"`
	// Runtime is runc or crun; without it, the first that is found.
	Runtime string `yaml:"runtime"`
}

func (s Settings) events() event.Planned { return event.Of(s.Events, s.Faults) }

// machine is what a pod's resources are checked against.
type machine struct {
	capacity node.Resources
	reserved node.Resources // kept for the system, eviction included
	others   node.Resources // requested by the pods beside
	topology node.Topology
	members  int // pods of the database's shape; 0 is one
}

// largest is what one pod of the database can request: its members have equal parts.
func (m machine) largest() node.Resources {
	l := node.LargestRequest(node.Allocatable(m.capacity, m.reserved), m.others)
	l.CPU /= node.CPU(max(1, m.members))
	l.Memory /= node.Bytes(max(1, m.members))
	return l
}

// largest is what the pod can request at most: a whole number of CPUs where they
// are to be exclusive.
func (s Settings) largest(m machine) node.Resources {
	l := m.largest()
	if s.Exclusive.On && s.Exclusive.Amount == 0 {
		l.CPU -= l.CPU % 1000
	}
	return l
}

// asked says whether any resource was written down.
func (s Settings) asked() bool {
	return s.CPU != 0 || s.Memory != 0 || s.CPURequest != 0 || s.MemoryRequest != 0
}

// contradictions are the settings that no machine could satisfy.
func (s Settings) contradictions() error {
	var errs []error
	switch {
	case s.QoS == node.BestEffort && s.asked():
		errs = append(errs, target.Wrong("qos", "a BestEffort pod has no requests and no limits; leave cpu, memory, cpuRequest and memoryRequest out, or write qos: Burstable"))
	case s.QoS == node.Burstable && !s.asked():
		errs = append(errs, target.Wrong("qos", "a Burstable pod requests something; write cpuRequest or memoryRequest"))
	case s.QoS == node.Guaranteed:
		if s.CPURequest != 0 && s.CPURequest != s.CPU {
			errs = append(errs, target.Wrong("cpuRequest", "a Guaranteed pod requests its limit; leave cpuRequest out or write cpu: %v; an arm or a layer that inherits it writes cpuRequest: null", s.CPURequest))
		}
		if s.MemoryRequest != 0 && s.MemoryRequest != s.Memory {
			errs = append(errs, target.Wrong("memoryRequest", "a Guaranteed pod requests its limit; leave memoryRequest out or write memory: %v; an arm or a layer that inherits it writes memoryRequest: null", s.MemoryRequest))
		}
	}
	if s.CPU != 0 && s.CPURequest > s.CPU {
		errs = append(errs, target.Wrong("cpuRequest", "%v is more than the limit cpu: %v", s.CPURequest, s.CPU))
	}
	if s.Memory != 0 && s.MemoryRequest > s.Memory {
		errs = append(errs, target.Wrong("memoryRequest", "%v is more than the limit memory: %v", s.MemoryRequest, s.Memory))
	}
	if s.HugePages != "" && s.HugePages != noHugePages {
		errs = append(errs, target.Wrong("hugePages", "%q is not known; write never, or leave it out", s.HugePages))
	}
	if s.Runtime != "" && s.Runtime != "runc" && s.Runtime != "crun" {
		errs = append(errs, target.Wrong("runtime", "%q is not known; write runc or crun, or leave it out", s.Runtime))
	}
	errs = append(errs, s.shapeContradictions()...)
	if s.Shape == "" { // its amounts are the machine's to give
		errs = append(errs, s.enforcedContradictions()...)
	}
	errs = append(errs, s.storageContradictions()...)
	errs = append(errs, s.ioContradictions()...)
	errs = append(errs, s.securityContradictions()...)
	errs = append(errs, s.clientContradictions()...)
	errs = append(errs, s.networkContradictions())
	errs = append(errs, members.Contradictions(s.Replication, s.events(), s.network())...)
	if s.Service != nil && s.Replication != nil && (s.events().Any() || s.Replication.Writers == replication.AllWriters || s.Replication.Readers == replication.AllReaders) {
		errs = append(errs, target.Wrong("service", "a Service has only the address of the first member, and the load also goes to others; leave it out"))
	}
	if s.ClientCPU > 0 && s.events().Any() {
		errs = append(errs, target.Wrong("clientCPU", "with events the load comes from this process, which follows the primary and counts what its clients see; leave it out"))
	}
	if s.Replication != nil && s.Exclusive.On {
		errs = append(errs, target.Wrong("exclusive", "the members of a replicated database share the CPUs of this machine; leave exclusive or replication out"))
	}
	return errors.Join(errs...)
}

// requirements are the pod's on this machine: defaults filled in, "max" made a
// number.
func (s Settings) requirements(m machine) node.Requirements {
	largest := s.largest(m)
	if s.QoS == node.Guaranteed {
		if s.CPU == 0 {
			s.CPU = node.MaxCPU
		}
		if s.Memory == 0 {
			// All that fits, as cpu: max: a limit that the arm did not ask for must not
			// be what costs it. Whole MiB are easier to read.
			s.Memory = largest.Memory &^ (1<<20 - 1)
		}
	}
	return node.Requirements{
		Request: node.Resources{CPU: s.CPURequest.Resolve(largest.CPU), Memory: s.MemoryRequest},
		Limit:   node.Resources{CPU: s.CPU.Resolve(largest.CPU), Memory: s.Memory},
	}.Defaulted()
}

// check says what of the pod does not fit on the machine, and what would.
func (s Settings) check(m machine) []error {
	r, largest := s.requirements(m), s.largest(m)
	var errs []error
	if got := node.Class(r); s.QoS != "" && got != s.QoS && s.contradictions() == nil {
		errs = append(errs, target.Wrong("qos", "these requests and limits make the pod %s; write qos: %s, or change them", got, got))
	}
	if r.Request.CPU > largest.CPU {
		errs = append(errs, target.Wrong("cpu", "%v requested, %v can be allocated: %s; write cpu: %v or cpu: max",
			r.Request.CPU, largest.CPU, m.subtraction(milli(m.capacity.CPU), milli(m.reserved.CPU), milli(m.others.CPU)), largest.CPU))
	} else if r.Limit.CPU > m.capacity.CPU {
		errs = append(errs, target.Wrong("cpu", "a limit of %v is above this machine's %v; write cpu: %v or leave it out", r.Limit.CPU, m.capacity.CPU, m.capacity.CPU))
	}
	if r.Request.Memory > largest.Memory {
		errs = append(errs, target.Wrong("memory", "%v requested, %v can be allocated: %s; write memory: %v",
			r.Request.Memory, mebibytes(largest.Memory), m.subtraction(mebibytes(m.capacity.Memory), mebibytes(m.reserved.Memory), mebibytes(m.others.Memory)), mebibytes(largest.Memory)))
	} else if r.Limit.Memory > m.capacity.Memory {
		errs = append(errs, target.Wrong("memory", "a limit of %v is above this machine's %v; write less or leave it out", r.Limit.Memory, mebibytes(m.capacity.Memory)))
	}
	return append(append(errs, s.checkEnforced(m)...), s.checkStorage()...)
}

// subtraction spells out how what can be allocated comes about.
func (m machine) subtraction(capacity, reserved, others string) string {
	text := capacity
	if reserved != "0" && reserved != "0m" {
		text += " minus " + reserved + " reserved for the system"
	}
	if others != "0" && others != "0m" {
		text += " minus " + others + " requested by other pods"
	}
	if m.members > 1 {
		text += fmt.Sprintf(", divided by %d members", m.members)
	}
	return text
}

// milli is an amount in thousandths whatever its size, so that amounts to be
// subtracted look alike.
func milli(c node.CPU) string { return fmt.Sprintf("%dm", int64(c)) }

// mebibytes is an amount of memory rounded down to MiB: a machine's memory is no
// round number.
func mebibytes(b node.Bytes) string { return (b &^ (1<<20 - 1)).String() }
