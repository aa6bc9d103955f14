// Package process runs mysqld as a process of this host (bare metal).
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
	"github.com/tarebench/tare/internal/target/members"
)

// Settings are an arm's own.
type Settings struct {
	// Neighbour is a pod beside the server, as the container target has it. The
	// server itself stays outside the pods' tree.
	Neighbour *node.Neighbour `yaml:"neighbour"`
	// Client is where the load comes from; without it, over the socket.
	Client string `yaml:"client"`
	// Network is the link to another node.
	Network *network.Block `yaml:"network"`
	// Replication makes the server the first of several members of one database.
	Replication *replication.Settings `yaml:"replication"`
	// Events happen to the database while it is loaded; Faults is their name in older files.
	Events []event.Event `yaml:"events"`
	Faults []event.Event `yaml:"faults"`
}

func (s Settings) events() event.Planned { return event.Of(s.Events, s.Faults) }

// Env is what the target needs to know of this tare.
type Env struct {
	// Distribution is what will run, for Check; the zero value is not known yet.
	Distribution mysqld.Distribution
	// Neighbour is the command line that ends in node.RunNeighbour.
	Neighbour []string
	// Packets is the command line that ends in a helper of package network.
	Packets []string
	// Reserved is kept for the system, which bounds the neighbour's tree as it
	// does in the container target.
	Reserved node.Resources
}

type process struct {
	settings Settings
	env      Env
}

// New makes the target of an arm whose settings decode fills in.
func New(decode func(into any) error, env Env) (target.Target, error) {
	p := &process{env: env}
	if err := decode(&p.settings); err != nil {
		return nil, fmt.Errorf("read settings of target process: %w", err)
	}
	if err := errors.Join(p.settings.contradictions()...); err != nil {
		return nil, fmt.Errorf("read settings of target process: %w", err)
	}
	if r := p.settings.Replication; r != nil {
		defaulted := r.Defaulted()
		p.settings.Replication = &defaulted
	}
	return p, nil
}

func (p *process) Data() target.Data { return target.Files }

// Check asks for what Start will need.
func (p *process) Check(ctx context.Context) []error {
	if err := ctx.Err(); err != nil {
		return []error{fmt.Errorf("check target process: %w", err)}
	}
	var errs []error
	if p.env.Distribution.Root != "" {
		if _, err := viewOf(p.env.Distribution.Root); err != nil {
			errs = append(errs, err)
		}
		server := filepath.Join(p.env.Distribution.Root, p.env.Distribution.Server)
		if _, err := os.Lstat(server); err != nil {
			errs = append(errs, fmt.Errorf("find server: %w", err))
		}
	}
	errs = append(errs, p.checkNetwork(ctx)...)
	if r := p.settings.Replication; r != nil {
		errs = append(errs, members.Check(*r, p.env.Distribution)...)
	}
	if p.settings.Neighbour != nil {
		errs = append(errs, p.checkNeighbour()...)
	}
	return errs
}

func (p *process) checkNeighbour() []error {
	if os.Geteuid() != 0 {
		return []error{target.Wrong("neighbour", "only root can make its cgroups; run tare as root, or leave neighbour out")}
	}
	capacity, err := node.Capacity()
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, err := range p.settings.Neighbour.Check(capacity) {
		errs = append(errs, target.FieldError{Field: "neighbour", Err: err})
	}
	if _, err := node.NewTree("check", capacity, node.Resources{}); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// mayMount tells whether this process may make mount namespaces: root without
// CAP_SYS_ADMIN, as inside a container, may not.
func mayMount() bool {
	self, err := procfs.Self()
	if err != nil {
		return false
	}
	status, err := self.NewStatus()
	if err != nil {
		return false
	}
	return os.Geteuid() == 0 && status.CapEff&(1<<unix.CAP_SYS_ADMIN) != 0
}
