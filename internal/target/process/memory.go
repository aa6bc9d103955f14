package process

import (
	"time"

	"github.com/tarebench/tare/internal/layer"
)

// Memories are how long the layers of the arm remember: what a lead-in is computed from.
func (p *process) Memories() []layer.Memory {
	all := []layer.Memory{layer.CacheMemory()}
	if n := p.settings.Neighbour; n != nil {
		all = append(all, layer.WeightMemory())
		if n.Disk > 0 {
			all = append(all, layer.WriteMemory())
		}
	}
	s := p.settings.network()
	if s.Rate > 0 {
		all = append(all, layer.RateMemory(s.Buffers()))
	}
	if s.Delay > 0 {
		all = append(all, layer.DelayMemory(time.Duration(s.Delay)))
	}
	return all
}
