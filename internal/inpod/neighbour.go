package inpod

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/node"
)

// Neighbour is the pod beside the server, which uses up what an
// arm's neighbour: block says and its standard input tells it. It ends with its
// standard input, so that it never outlives the tare that started it.
func Neighbour() *cobra.Command {
	var turns string
	c := &cobra.Command{
		Use:    "neighbour [WORK]",
		Short:  "Use up what standard input says, until that ends, or what WORK says, until it is ended",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 0 {
				return node.RunNeighbour(c.Context(), c.InOrStdin(), c.OutOrStdout())
			}
			// In a pod of a cluster, which ends it. The end of the pipe never comes.
			in, tell := io.Pipe()
			defer tell.Close()
			if turns != "" {
				follow(c.Context(), turns, a[0], tell, c.OutOrStdout())
			}
			return node.RunNeighbour(c.Context(), io.MultiReader(strings.NewReader(a[0]+"\n"), in), c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&turns, "turns", "", "a file that names the load whose turns it follows, and its server")
	return c
}

// follow tells the neighbour when its turns begin, once the server's database has it, and prints afterwards by how much
// the clocks may differ. What goes wrong ends the neighbour.
func follow(ctx context.Context, file, work string, tell *io.PipeWriter, out io.Writer) {
	var f loadgen.Following
	var w node.Work
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil {
		err = json.Unmarshal([]byte(work), &w)
	}
	if err == nil && w.Turns == nil {
		err = fmt.Errorf("the work has no turns")
	}
	if err != nil {
		tell.CloseWithError(fmt.Errorf("read the neighbour's turns: %w", err))
		return
	}
	go func() {
		begin, difference, err := f.Begin(ctx)
		if err == nil {
			_, err = io.WriteString(tell, node.BeginLine(begin))
		}
		if err != nil {
			tell.CloseWithError(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(begin.Add(w.Turns.Schedule.End()))):
		}
		d, err := difference(ctx)
		line := map[string]any{"clock_ms": d.Seconds() * 1000}
		if err != nil {
			line = map[string]any{"clock_unknown": err.Error()}
		}
		_ = json.NewEncoder(out).Encode(line) // tare then says that it did not come
	}()
}
