package main

import (
	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/node"
)

// neighbourVerb is plumbing: the pod beside the server, which uses up what an
// arm's neighbour: block says and its standard input tells it. It ends with its
// standard input, so that it never outlives the tare that started it.
func neighbourVerb(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:    "neighbour",
		Short:  "Use up what standard input says, until that ends",
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return node.RunNeighbour(c.Context(), t.in, t.out)
		},
	}
}
