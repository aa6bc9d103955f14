package inpod

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/node"
)

// Neighbour is the pod beside the server, which uses up what an
// arm's neighbour: block says and its standard input tells it. It ends with its
// standard input, so that it never outlives the tare that started it.
func Neighbour() *cobra.Command {
	return &cobra.Command{
		Use:    "neighbour [WORK]",
		Short:  "Use up what standard input says, until that ends, or what WORK says, until it is ended",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 0 {
				return node.RunNeighbour(c.Context(), c.InOrStdin(), c.OutOrStdout())
			}
			// In a pod of a cluster, which ends it. The end of the pipe never comes.
			open, end := io.Pipe()
			defer end.Close()
			return node.RunNeighbour(c.Context(), io.MultiReader(strings.NewReader(a[0]+"\n"), open), c.OutOrStdout())
		},
	}
}
