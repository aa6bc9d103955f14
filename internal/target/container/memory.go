package container

import (
	"time"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
)

// Memories are how long the layers of the arm remember: what a lead-in is computed from.
func (c *Container) Memories() []layer.Memory {
	all := []layer.Memory{layer.CacheMemory()}
	s := c.settings
	if e := s.enforced(c.machine); !e.Unweighted || s.Neighbour != nil {
		all = append(all, layer.WeightMemory())
	}
	if c.throttled() || s.ClientCPU != 0 {
		period := time.Duration(s.QuotaPeriod)
		if period == 0 || s.ClientCPU != 0 { // the client's pod has the kubelet's
			period = max(period, node.DefaultPeriod)
		}
		all = append(all, layer.QuotaMemory(period))
	}
	if s.IO.bounded() {
		all = append(all, layer.IOMemory())
	}
	if n := s.Neighbour; n != nil && n.Disk > 0 {
		all = append(all, layer.WriteMemory())
	}
	return append(all, networkMemories(s.network())...)
}

// throttled says whether a quota holds the server's pod up.
func (c *Container) throttled() bool {
	e := c.settings.enforced(c.machine)
	if e.Quota != nil {
		return *e.Quota > 0
	}
	return c.settings.requirements(c.machine).Limit.CPU > 0
}

func networkMemories(s network.Settings) []layer.Memory {
	var all []layer.Memory
	if s.Rate > 0 {
		all = append(all, layer.RateMemory(s.Buffers()))
	}
	if s.Delay > 0 {
		all = append(all, layer.DelayMemory(time.Duration(s.Delay)))
	}
	return all
}
