package process

import (
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// Capabilities: a process of this host has none before it is started, and the members of a
// replicated database cannot be frozen.
func (p *process) Capabilities() target.Capabilities {
	if r := p.settings.Replication; r != nil {
		return members.Capabilities(target.Capabilities{}, *r, p.settings.Faults)
	}
	return target.Capabilities{Memories: p.Memories()}
}

// Capabilities of a server on this machine.
func (s *server) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Client: s.Client, PID: s.PID, Freeze: s.Freeze, Thaw: s.Thaw}
}
