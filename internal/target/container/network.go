package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
)

// network are the layers of the network that the arm switches on.
func (s Settings) network() network.Settings {
	n := network.Settings{Client: s.Client}
	if s.Replication != nil {
		n.Members, n.CutOff = s.Replication.Defaulted().Members, s.events().CutOff()
	}
	if s.Network != nil {
		n.Block = *s.Network
	}
	if s.Service != nil {
		n.Service = *s.Service
	}
	return n
}

// networkContradictions are those of the network's settings.
func (s Settings) networkContradictions() error {
	var errs []error
	for _, w := range s.network().Contradictions() {
		errs = append(errs, target.FieldError{Field: w.Field, Err: w.Err})
	}
	return errors.Join(errs...)
}

// checkNetwork tries whether this machine can build it.
func (s Settings) checkNetwork(ctx context.Context, helper []string) []error {
	if s.networkContradictions() != nil {
		return nil // they have been said
	}
	if err := network.Check(ctx, s.network(), helper); err != nil {
		field := "network"
		if s.Network == nil {
			field = "client"
		}
		return []error{target.FieldError{Field: field, Err: err}}
	}
	return nil
}

// buildNetwork builds it, before the server's container that is to be in it.
func (c *Container) buildNetwork(s *server) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if !c.settings.network().Wanted() {
			return nil
		}
		s.network, err = network.Build(ctx, c.settings.network(), network.Env{Instance: s.request.Name, Dir: filepath.Join(s.runtime.dir, "network"), Helper: c.env.Packets})
		if err == nil {
			err = s.writeResolver()
		}
		if err != nil {
			return err
		}
		s.namespace = s.network.ServerNamespace()
		if s.network.OverTCP() {
			if s.account, err = s.request.Listen(&s.options, s.network.Server(), network.Port); err != nil {
				return err
			}
		}
		if err := c.joinDatabase(s); err != nil {
			return err
		}
		return s.request.Configure(s.options)
	}
}

// writeResolver writes the server's resolv.conf, as a kubelet does (dnsPolicy:
// ClusterFirst).
func (s *server) writeResolver() error {
	address := s.network.Resolver()
	if address == "" {
		return nil
	}
	s.resolver = filepath.Join(s.runtime.dir, "resolv.conf")
	text := "search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver " + address + "\noptions ndots:5\n"
	if err := os.WriteFile(s.resolver, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write resolv.conf: %w", err)
	}
	return nil
}

// Client is how the load gets to the server.
func (s *server) Client() target.Client {
	if !s.network.OverTCP() {
		return target.Client{Address: s.Address(), Reconnect: s.reconnect}
	}
	return target.Client{Address: s.account, Inside: s.network.InsideClient, Reconnect: s.reconnect}
}

// networkNamespace is the one that the container joins; none is the host's.
func (s *server) networkNamespace() []specs.LinuxNamespace {
	if s.namespace == "" {
		return nil
	}
	return []specs.LinuxNamespace{{Type: specs.NetworkNamespace, Path: s.namespace}}
}
