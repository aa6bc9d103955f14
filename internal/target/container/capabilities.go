package container

import (
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/members"
)

// Capabilities of a pod on this machine.
func (c *Container) Capabilities() target.Capabilities {
	all := target.Capabilities{
		MemoryLimit: c.MemoryLimit(), Generators: c.Generators(), Reconnect: c.Reconnect(),
		Notes: c.Notes(), CheckDisk: c.CheckDisk, Memories: c.Memories(), Neighbour: c.settings.Neighbour != nil, Volume: c.settings.takes(),
	}
	if r := c.settings.Replication; r != nil {
		return members.Capabilities(all, *r, c.settings.events())
	}
	return c.settings.events().Capabilities(all)
}

// Capabilities of a server on this machine.
func (s *server) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{
		Follow: target.FollowHere(s.neighbour, s.request.Turns), Client: s.Client, PID: s.PID, Generators: s.Generators(), Generate: s.Generate, Freeze: s.Freeze, Thaw: s.Thaw, Throttle: s.rethrottle,
	}
}
