package node

import (
	"errors"
	"fmt"
)

// Neighbour is a pod beside the server that uses up what the machine has: the
// neighbour: block of an arm. Its class follows from its requests and limits:
// BestEffort without any, Guaranteed with both limits.
type Neighbour struct {
	// CPU is how much it burns: whole CPUs with a thread each that never
	// sleeps, the rest by sleeping a part of every 10 ms.
	CPU CPU `yaml:"cpu"`
	// Memory is how much it keeps in use.
	Memory Bytes `yaml:"memory"`
	// MemoryBandwidth, Disk and Network are numbers of threads that stream through
	// memory, write to the disk of the server's data, and send over loopback.
	MemoryBandwidth int `yaml:"memoryBandwidth"`
	Disk            int `yaml:"disk"`
	Network         int `yaml:"network"`
	// Request and MemoryRequest are its requests, Limit and MemoryLimit its limits.
	Request       CPU   `yaml:"request"`
	MemoryRequest Bytes `yaml:"memoryRequest"`
	Limit         CPU   `yaml:"limit"`
	MemoryLimit   Bytes `yaml:"memoryLimit"`
}

// needs is the memory its work takes.
func (n Neighbour) needs() Bytes { return n.Memory + Bytes(n.MemoryBandwidth)*2*streamSize }

// Requirements are the neighbour's as those of a pod.
func (n Neighbour) Requirements() Requirements {
	return Requirements{
		Request: Resources{CPU: n.Request, Memory: n.MemoryRequest}, Limit: Resources{CPU: n.Limit, Memory: n.MemoryLimit},
	}.Defaulted()
}

// Check says what is impossible about the neighbour on a machine of this
// capacity.
func (n Neighbour) Check(capacity Resources) []error {
	var errs []error
	if n.CPU == 0 && n.Memory == 0 && n.MemoryBandwidth == 0 && n.Disk == 0 && n.Network == 0 {
		errs = append(errs, errors.New("it does nothing; write cpu: 1, memory: 1Gi, memoryBandwidth: 1, disk: 1 or network: 1"))
	}
	errs = append(errs, n.checkThreads()...)
	errs = append(errs, n.checkLimits(capacity)...)
	if n.CPU != MaxCPU && n.CPU > capacity.CPU {
		errs = append(errs, fmt.Errorf("cpu %v is more than this machine's %v; write cpu: %v or cpu: max", n.CPU, capacity.CPU, capacity.CPU))
	}
	if n.Memory > capacity.Memory {
		errs = append(errs, fmt.Errorf("memory %v is more than this machine's %v", n.Memory, capacity.Memory))
	}
	if n.Request == MaxCPU || n.Request > capacity.CPU {
		errs = append(errs, fmt.Errorf("request %v does not fit; write at most request: %v", n.Request, capacity.CPU))
	}
	if n.MemoryRequest > capacity.Memory {
		errs = append(errs, fmt.Errorf("memoryRequest %v is more than this machine's %v", n.MemoryRequest, capacity.Memory))
	}
	return errs
}

// maxThreads bounds each kind of thread; more than a few of them wait for each
// other.
const maxThreads = 64

func (n Neighbour) checkThreads() []error {
	var errs []error
	for _, kind := range []struct {
		name string
		n    int
	}{{"memoryBandwidth", n.MemoryBandwidth}, {"disk", n.Disk}, {"network", n.Network}} {
		if kind.n < 0 || kind.n > maxThreads {
			errs = append(errs, fmt.Errorf("%s is a number of threads, 0 to %d; write %s: 1", kind.name, maxThreads, kind.name))
		}
	}
	return errs
}

func (n Neighbour) checkLimits(capacity Resources) []error {
	var errs []error
	if n.Limit == MaxCPU || n.Limit > capacity.CPU {
		errs = append(errs, fmt.Errorf("limit %v does not fit; write at most limit: %v", n.Limit, capacity.CPU))
	}
	if n.Limit > 0 && n.Request > n.Limit {
		errs = append(errs, fmt.Errorf("request %v is more than limit %v", n.Request, n.Limit))
	}
	if n.MemoryLimit > 0 && n.MemoryRequest > n.MemoryLimit {
		errs = append(errs, fmt.Errorf("memoryRequest %v is more than memoryLimit %v", n.MemoryRequest, n.MemoryLimit))
	}
	// Its own program takes some, too.
	if own := Bytes(32 << 20); n.MemoryLimit > 0 && n.needs()+own > n.MemoryLimit {
		errs = append(errs, fmt.Errorf("memoryLimit %v is less than the memory that it uses, and the kernel would kill it; write memoryLimit: %v or more", n.MemoryLimit, n.needs()+own))
	}
	return errs
}

// Work is what a neighbour's process is told to do, as one line of JSON.
type Work struct {
	CPU    CPU   `json:"cpu"`
	Memory Bytes `json:"memory"`
	// Bandwidth, Disk and Network are numbers of threads that do as much as they
	// can.
	Bandwidth int `json:"bandwidth"`
	Disk      int `json:"disk"`
	Network   int `json:"network"`
	// Dir is where its files lie.
	Dir string `json:"dir"`
	// Turns, if not nil, are those in which it works; it is then told with a second line when they begin ([BeginLine]).
	Turns *Turns `json:"turns,omitempty"`
}

// AtWork is the line with which a neighbour says that it burns, or in turns that it has its memory and waits for their
// beginning.
const AtWork = "at work\n"

// streamSize is that of each of a streaming thread's two areas: more than the
// last cache of most machines leaves to one of several threads.
const streamSize Bytes = 64 << 20
