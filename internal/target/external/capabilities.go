package external

import "github.com/tarebench/tare/internal/target"

// Capabilities of a server that runs already: its schema is held until the run is over.
func (e *external) Capabilities() target.Capabilities {
	at := e.Endpoint()
	return target.Capabilities{Endpoint: &at, Release: e.Release}
}

// Capabilities: the server may be anywhere, and tare neither runs nor reads anything
// beside it.
func (s *server) Capabilities() target.ServerCapabilities { return target.ServerCapabilities{} }
