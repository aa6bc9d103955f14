package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
)

func checkVerb(t *terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "check SPEC",
		Short: "Say everything about an experiment that can be known before load",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			e, err := readSpec(a[0])
			if err != nil {
				return err
			}
			job, err := assemble(c.Context(), t, e, t.err)
			if err != nil {
				return err
			}
			fmt.Fprintf(t.out, "%s: ready to run\n%s", a[0], outline(job))
			return nil
		},
	}
	allowFlag(c, t)
	return c
}

func readSpec(path string) (*experiment.Experiment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage{fmt.Errorf("read experiment: %w", err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, experiment.MaxSize+1))
	if err != nil {
		return nil, usage{fmt.Errorf("read experiment: %w", err)}
	}
	return experiment.Parse(path, text)
}
