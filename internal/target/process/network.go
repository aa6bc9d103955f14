package process

import (
	"context"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/members"
)

// network are the layers of the network that the arm switches on: where its
// client is, and the link to another node.
func (s Settings) network() network.Settings {
	n := network.Settings{Client: s.Client}
	if s.Replication != nil {
		n.Members, n.CutOff = s.Replication.Defaulted().Members, s.events().CutOff()
	}
	if s.Network != nil {
		n.Block = *s.Network
	}
	return n
}

// contradictions are the settings that no machine could satisfy.
func (s Settings) contradictions() []error {
	switch n := s.network(); {
	case n.Client == network.SamePod || n.Client == network.OtherPod:
		return []error{target.Wrong("client", "a process has no pod; write socket, host or other-node, or target: container")}
	case n.Plugin != "":
		return []error{target.Wrong("network.plugin", "a process has no pod network; leave it out, or write target: container")}
	case n.Between != "":
		return []error{target.Wrong("network.between", "only pods have a network of their own between nodes; leave it out, or write target: container")}
	case n.DNS != 0:
		return []error{target.Wrong("network.dns", "only pods have a resolver of their own; leave it out, or write target: container")}
	}
	errs := members.Contradictions(s.Replication, s.events(), s.network())
	for _, field := range s.events().With(event.SlowDisk) {
		errs = append(errs, target.Wrong(field, "a process has no cgroup that limits its I/O; write target: container"))
	}
	for _, w := range s.network().Contradictions() {
		errs = append(errs, target.FieldError{Field: w.Field, Err: w.Err})
	}
	return errs
}

// checkNetwork tries whether this machine and this user can build it.
func (p *process) checkNetwork(ctx context.Context) []error {
	switch {
	case !p.settings.network().Wanted():
		return nil
	case os.Geteuid() != 0 && p.settings.Replication != nil:
		return []error{target.Wrong("replication", "only root can make the network namespaces of its members; run tare as root")}
	case os.Geteuid() != 0:
		return []error{target.Wrong("client", "only root can make the network namespaces of a client over TCP; run tare as root, or leave client out: over the socket it runs as any user")}
	}
	if err := network.Check(ctx, p.settings.network(), p.env.Packets); err != nil {
		field := "client"
		if p.settings.Replication != nil {
			field = "replication"
		}
		return []error{target.FieldError{Field: field, Err: err}}
	}
	return nil
}

// buildNetwork builds it, before the server that is to be in it. It is the same
// that a pod with its node's network has, so that a pod is compared with a process
// and not with another network.
func (p *process) buildNetwork(s *server) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if !p.settings.network().Wanted() {
			return nil
		}
		s.network, err = network.Build(ctx, p.settings.network(), network.Env{Instance: s.request.Name, Dir: filepath.Join(s.request.Dir, "network"), Helper: p.env.Packets})
		if err != nil {
			return err
		}
		s.namespace = s.network.ServerNamespace()
		if s.network.OverTCP() {
			if s.account, err = s.request.Listen(&s.options, s.network.Server(), network.Port); err != nil {
				return err
			}
		}
		if err := p.joinDatabase(s); err != nil {
			return err
		}
		return s.request.Configure(s.options)
	}
}

// Client is how the load gets to the server.
func (s *server) Client() target.Client {
	if !s.network.OverTCP() {
		return target.Client{Address: s.Address()}
	}
	return target.Client{Address: s.account, Inside: s.network.InsideClient}
}

// enter gives the calling thread, which must be locked and die afterwards, the
// server's network and view.
func (s *server) enter() error {
	if s.namespace != "" {
		if err := network.Join(s.namespace); err != nil {
			return err
		}
	}
	return s.view.enter(s.request)
}
