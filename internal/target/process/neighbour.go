package process

import (
	"context"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
)

// neighbour is the pod beside the server, in a tree of its own.
type neighbour struct {
	tree    *node.Tree
	running *node.RunningNeighbour
}

func (p *process) startNeighbour(s *server) func(context.Context) error {
	return func(ctx context.Context) error {
		if p.settings.Neighbour == nil {
			return nil
		}
		capacity, err := node.Capacity()
		if err != nil {
			return err
		}
		n := &neighbour{}
		s.neighbour = n
		if n.tree, err = node.NewTree(s.request.Name, capacity, p.env.Reserved); err != nil {
			return err
		}
		if err := n.tree.Create(); err != nil {
			return err
		}
		n.running, err = p.settings.Neighbour.Start(ctx, n.tree, capacity, p.env.Neighbour, s.request.Dir, s.request.Turns)
		return err
	}
}

// stop ends the neighbour and removes its cgroups. A nil neighbour has none.
func (n *neighbour) stop() error {
	if n == nil {
		return nil
	}
	if n.running != nil {
		n.running.Stop()
	}
	if n.tree == nil {
		return nil
	}
	return n.tree.Remove(context.Background()) // bounded by itself
}

func (n *neighbour) facts(phase string) []record.Fact {
	if n == nil {
		return nil
	}
	return append(n.running.Facts(phase), n.tree.ReadBack(phase)...)
}
