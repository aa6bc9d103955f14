package container

import "github.com/tarebench/tare/internal/target"

// Capabilities of a pod on this machine.
func (c *Container) Capabilities() target.Capabilities {
	return target.Capabilities{
		MemoryLimit: c.MemoryLimit(), Generators: c.Generators(), Reconnect: c.Reconnect(),
		Notes: c.Notes(), CheckDisk: c.CheckDisk, Memories: c.Memories(),
	}
}

// Capabilities of a server on this machine.
func (s *server) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{
		Client: s.Client, PID: s.PID, Generators: s.Generators(), Generate: s.Generate, Freeze: s.Freeze, Thaw: s.Thaw,
	}
}
