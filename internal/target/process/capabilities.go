package process

import "github.com/tarebench/tare/internal/target"

// Capabilities: a process of this host has none before it is started.
func (p *process) Capabilities() target.Capabilities {
	return target.Capabilities{Memories: p.Memories()}
}

// Capabilities of a server on this machine.
func (s *server) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{Client: s.Client, PID: s.PID, Freeze: s.Freeze, Thaw: s.Thaw}
}
