package external

import (
	"strings"

	"github.com/tarebench/tare/internal/layer"
	"github.com/tarebench/tare/internal/target"
)

// Capabilities of a server that runs already: its schema is held until the run is over.
func (e *external) Capabilities() target.Capabilities {
	at := e.Endpoint()
	return target.Capabilities{
		Endpoint: &at, Running: e.running, Release: e.Release, Resume: e.resume, ReachedFrom: e.reachedFrom,
		Memories: []layer.Memory{layer.CacheMemory(), layer.ElsewhereMemory()}, NeverFrozen: true,
	}
}

// reachedFrom says why pods cannot connect: the address leads to this machine, or they
// have no certificates to verify the server's with.
func (e *external) reachedFrom(cluster string) error {
	at := e.Endpoint()
	switch {
	case at.OnThisMachine():
		return target.Wrong(e.whereField(), "%s is an address of this machine, and the load comes from pods of cluster %s; name the host as they see it", e.settings.where(), cluster)
	case strings.HasPrefix(at.TLS, "verify-") && at.CA == "":
		return target.Wrong("ca", "the load comes from pods, which have no certificates of their own to verify the server's with; name a file: ca: bundle.pem")
	}
	return nil
}

// Capabilities: the server may be anywhere, and tare neither runs nor reads anything
// beside it.
func (s *server) Capabilities() target.ServerCapabilities { return target.ServerCapabilities{} }
