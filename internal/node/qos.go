package node

import "fmt"

// QoS is a Kubernetes quality-of-service class. The zero value is none: not
// said yet.
type QoS string

const (
	// BestEffort pods request nothing and get what is left.
	BestEffort QoS = "BestEffort"
	// Burstable pods request something, but less than all they may use.
	Burstable QoS = "Burstable"
	// Guaranteed pods request exactly what they may use, CPU and memory.
	Guaranteed QoS = "Guaranteed"
)

// UnmarshalText wants the name as Kubernetes writes it.
func (q *QoS) UnmarshalText(b []byte) error {
	switch v := QoS(b); v {
	case BestEffort, Burstable, Guaranteed:
		*q = v
		return nil
	}
	return fmt.Errorf("%.40q is not a QoS class; use BestEffort, Burstable or Guaranteed", b)
}

// MarshalText is the notation UnmarshalText reads.
func (q QoS) MarshalText() ([]byte, error) { return []byte(q), nil }

// Resources are amounts of CPU and memory; 0 is not set.
type Resources struct {
	CPU    CPU
	Memory Bytes
}

// Requirements are what the one container of a pod requests and may use at
// most.
type Requirements struct {
	Request Resources
	Limit   Resources
}

// Defaulted copies a missing request from its limit, as the API server does
// before anything else looks at a pod (pkg/apis/core/v1/defaults.go,
// SetDefaults_Pod).
func (r Requirements) Defaulted() Requirements {
	if r.Request.CPU == 0 {
		r.Request.CPU = r.Limit.CPU
	}
	if r.Request.Memory == 0 {
		r.Request.Memory = r.Limit.Memory
	}
	return r
}

// Class is the QoS class that follows from the requirements of a pod with one
// container (pkg/apis/core/v1/helper/qos/qos.go). A class is never chosen: it
// is what the requests and limits make it.
func Class(r Requirements) QoS {
	r = r.Defaulted()
	switch {
	case r == Requirements{}:
		return BestEffort
	case r.Limit.CPU > 0 && r.Limit.Memory > 0 && r.Request == r.Limit:
		return Guaranteed
	default:
		return Burstable
	}
}
