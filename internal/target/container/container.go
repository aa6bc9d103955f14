// Package container runs mysqld as a pod without Kubernetes: an OCI container in the
// cgroups that a kubelet would create.
package container

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/cgroups/v3"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// Env is what the target needs to know of this tare and its machine.
type Env struct {
	// Distribution is what will run, for Check; the zero value is not known yet.
	Distribution mysqld.Distribution
	// Neighbour is the command line that ends in node.RunNeighbour.
	Neighbour []string
	// Packets is the command line that ends in a helper of package network.
	Packets []string
	// Generator is the command line that, with the name of a file that holds the job,
	// is a generator of a load.
	Generator []string
	// Capacity is what the machine has; the zero value is to read it.
	Capacity node.Resources
	// Topology are the CPUs; nil is to read them.
	Topology node.Topology
	// Reserved is kept for the system, on top of what a kubelet's hard eviction
	// keeps.
	Reserved node.Resources
}

// Container is the target of one arm.
type Container struct {
	settings Settings
	env      Env
	machine  machine
}

// New makes the target of an arm, a *Container, whose settings decode fills in.
func New(decode func(into any) error, env Env) (target.Target, error) {
	c := &Container{env: env}
	if err := decode(&c.settings); err != nil {
		return nil, fmt.Errorf("read settings of target container: %w", err)
	}
	if err := c.settings.contradictions(); err != nil {
		return nil, fmt.Errorf("read settings of target container: %w", err)
	}
	capacity := env.Capacity
	if capacity == (node.Resources{}) {
		var err error
		if capacity, err = node.Capacity(); err != nil {
			return nil, err
		}
	}
	c.machine = machine{capacity: capacity, reserved: env.Reserved}
	if r := c.settings.Replication; r != nil {
		defaulted := r.Defaulted()
		c.settings.Replication, c.machine.members = &defaulted, defaulted.Members
	}
	c.machine.reserved.Memory += node.EvictionThreshold
	c.settings = c.settings.shaped(c.machine)
	if err := errors.Join(c.settings.enforcedContradictions()...); err != nil { // of the shape's amounts
		return nil, fmt.Errorf("read settings of target container: %w", err)
	}
	if err := c.reserveCPUs(); err != nil {
		return nil, err
	}
	if n := c.settings.Neighbour; n != nil {
		c.machine.others = n.Requirements().Request
	}
	return c, nil
}

// Data are files: every trial has a copy of its own.
func (c *Container) Data() target.Data { return target.Files }

// MemoryLimit is the pod's memory limit in bytes, 0 for none: a buffer pool must
// fit into it.
func (c *Container) MemoryLimit() int64 {
	if limit := c.settings.enforced(c.machine).Memory; limit != nil {
		return int64(*limit)
	}
	return int64(c.settings.requirements(c.machine).Limit.Memory)
}

// CPULimit is the CPU that the pod may use at most, 0 for no limit.
func (c *Container) CPULimit() node.CPU {
	e := c.settings.enforced(c.machine)
	limit := c.settings.requirements(c.machine).Limit.CPU
	if e.Quota != nil {
		limit = *e.Quota
	}
	if own := node.CPU(len(e.CPUs)) * 1000; own > 0 && (limit == 0 || own < limit) {
		limit = own
	}
	return limit
}

// Check asks for what Start will need.
func (c *Container) Check(ctx context.Context) []error {
	if err := ctx.Err(); err != nil {
		return []error{fmt.Errorf("check target container: %w", err)}
	}
	errs := c.settings.check(c.machine)
	if n := c.settings.Neighbour; n != nil {
		for _, err := range n.Check(c.machine.capacity) {
			errs = append(errs, target.FieldError{Field: "neighbour", Err: err})
		}
	}
	errs = append(errs, checkHost()...)
	if r := c.settings.Replication; r != nil {
		errs = append(errs, members.Check(*r, c.env.Distribution)...)
	}
	errs = append(errs, c.settings.checkNetwork(ctx, c.env.Packets)...)
	if path, err := findRuntime(c.settings.Runtime); err != nil {
		errs = append(errs, err)
	} else if err := runtimeFits(path, cgroups.Mode()); err != nil {
		errs = append(errs, err)
	}
	if c.env.Distribution.Root != "" {
		errs = append(errs, checkRoot(c.env.Distribution)...)
	}
	return errs
}
