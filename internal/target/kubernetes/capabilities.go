package kubernetes

import "github.com/tarebench/tare/internal/target"

// Capabilities of a pod of a cluster.
func (k *Kubernetes) Capabilities() target.Capabilities {
	return target.Capabilities{
		MemoryLimit: k.MemoryLimit(), HugePages: k.HugePages(), Generators: k.Generators(),
		Permission: k.permission(), Notes: k.Notes(), CheckConfig: k.CheckConfig, Render: k.Render, Release: k.Release,
		Restores: !k.settings.isOwn() && !k.settings.isOperator(),
	}
}

// Capabilities of a server on a node of the cluster.
func (s *server) Capabilities() target.ServerCapabilities {
	return target.ServerCapabilities{
		Client: s.Client, Probe: s.Probe, Generators: s.Generators(), Generate: s.Generate, Restart: s.Restart,
	}
}
