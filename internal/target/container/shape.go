package container

// The instance shapes that studies compare, made to fit the machine.

import (
	"fmt"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// shape is an instance of a cloud's: 4 GiB for each CPU, as the general-purpose
// families of all of them have it.
type shape struct {
	name   string
	cpu    node.CPU
	memory node.Bytes
}

// shapes are in ascending order.
func shapes() []shape {
	const gi = 1 << 30
	return []shape{{"4x16", 4000, 16 * gi}, {"8x32", 8000, 32 * gi}, {"16x64", 16000, 64 * gi}}
}

func findShape(name string) (shape, bool) {
	for _, s := range shapes() {
		if s.name == name {
			return s, true
		}
	}
	return shape{}, false
}

// divisor is by how much every shape is divided on a machine: the least power of
// two with which the largest fits. It is one for all, so that shapes stay in their
// proportions.
func divisor(m machine) int64 {
	all := shapes()
	largest, fits := all[len(all)-1], node.Allocatable(m.capacity, node.Resources{Memory: node.EvictionThreshold})
	n := int64(1)
	for n < 1<<10 && (largest.cpu/node.CPU(n) > fits.CPU || largest.memory/node.Bytes(n) > fits.Memory) {
		n *= 2
	}
	return n
}

// shapeContradictions are the settings that no machine could satisfy.
func (s Settings) shapeContradictions() []error {
	if s.Shape == "" {
		return nil
	}
	var errs []error
	if _, ok := findShape(s.Shape); !ok {
		errs = append(errs, target.Wrong("shape", "%.40q is not a shape; write 4x16, 8x32 or 16x64 (CPUs and GiB), or cpu and memory", s.Shape))
	}
	if s.asked() || s.QoS != "" && s.QoS != node.Guaranteed {
		errs = append(errs, target.Wrong("shape", "a shape is a Guaranteed pod with its own cpu and memory; leave qos, cpu, memory and the requests out, or the shape"))
	}
	return errs
}

// shaped are the settings with the shape's amounts on this machine.
func (s Settings) shaped(m machine) Settings {
	if found, ok := findShape(s.Shape); ok {
		n := divisor(m)
		s.QoS, s.CPU, s.Memory = node.Guaranteed, found.cpu/node.CPU(n), found.memory/node.Bytes(n)
	}
	return s
}

// Notes are what a user should know before a run and is not a mistake.
func (c *Container) Notes() []string {
	found, ok := findShape(c.settings.Shape)
	n := divisor(c.machine)
	if !ok || n == 1 {
		return nil
	}
	return []string{fmt.Sprintf("shape %s is %v CPU and %v here: this machine has %v CPU and %v, so every shape is 1/%d of itself",
		found.name, c.settings.CPU, c.settings.Memory, c.machine.capacity.CPU, mebibytes(c.machine.capacity.Memory), n)}
}

// shapeFacts say what the shape was and by how much it was divided.
func (c *Container) shapeFacts() []record.Fact {
	if c.settings.Shape == "" {
		return nil
	}
	return []record.Fact{
		{Key: keys.PodShape, Value: c.settings.Shape, Source: "experiment.yaml"},
		{Key: keys.PodShapeDividedBy, Value: fmt.Sprint(divisor(c.machine)), Source: "/proc/stat and /proc/meminfo"},
	}
}
