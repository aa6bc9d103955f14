package process

import (
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// Capabilities of a process of this host, before it is started.
func (p *process) Capabilities() target.Capabilities {
	all := target.Capabilities{Memories: p.Memories(), Neighbour: p.settings.Neighbour != nil, BySignals: !node.HasFreezer()}
	if r := p.settings.Replication; r != nil {
		return members.Capabilities(all, *r, p.settings.events())
	}
	return p.settings.events().Capabilities(all)
}

// Capabilities of a server on this machine.
func (s *server) Capabilities() target.ServerCapabilities {
	var beside *node.RunningNeighbour
	if s.neighbour != nil {
		beside = s.neighbour.running
	}
	return target.ServerCapabilities{Follow: target.FollowHere(beside, s.request.Turns), Client: s.Client, PID: s.PID, Freeze: s.Freeze, Thaw: s.Thaw}
}
