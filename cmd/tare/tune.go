package main

// This file is `tare tune`: diagnose, propose, measure, keep or refuse, until
// no cause that the counters show is left or the budget is spent.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

type tuneOptions struct {
	arm, out string
	budget   time.Duration
}

func tuneVerb(t *terminal) *cobra.Command {
	var o tuneOptions
	var change specChange
	c := &cobra.Command{
		Use:   "tune SPEC",
		Short: "Find and measure fixes for an arm until none is left",
		Long: "Run the experiment, find the causes that the counters of one arm show, measure the fixes against that\n" +
			"arm in the same rounds, keep the one with the largest certain gain, and repeat until no such cause is\n" +
			"left to measure or the budget is spent. Finally, the original and the tuned arm are measured together.\n\n" +
			"The runs and tuned.yaml are in the output directory. SPEC is not changed.",
		Example:           "  tare tune experiment.yaml --arm besteffort --budget 3h",
		ValidArgsFunction: specFile,
		Args:              args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			e, err := checkedSpec(c.Context(), t, a[0], change)
			if err != nil {
				return err
			}
			return tune(c.Context(), t, e, o)
		},
	}
	c.Flags().StringVar(&o.arm, "arm", "", "arm to tune (default the one that is not the baseline, if there are two)")
	spanFlag(c.Flags(), &o.budget, "budget", 2*time.Hour, "start no run that would end after this time")
	c.Flags().StringVar(&o.out, "out", "", "directory to create (default runs/NAME-tune-TIME)")
	completeArm(c)
	filesFlag(c, "experiment file")
	change.flags(c)
	return c
}

func tune(ctx context.Context, t *terminal, e *experiment.Experiment, o tuneOptions) error {
	arm, err := armToTune(e, o.arm)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join("runs", e.Metadata.Name+"-tune-"+time.Now().UTC().Format("20060102T150405Z"))
	}
	tu := &campaign.Tuning{Like: e, Dir: o.out, Say: t.out, Budget: o.budget,
		Measure: func(e *experiment.Experiment, dir string) (*record.Run, error) {
			quiet := *t // each step's report is in its directory
			quiet.out = io.Discard
			if err := startRun(ctx, &quiet, e, runOptions{out: dir, format: "text", unjudged: true}); err != nil {
				return nil, err
			}
			return record.Open(dir)
		}}
	err = tu.Run(arm)
	var short campaign.BudgetError
	if errors.As(err, &short) {
		return usage{err}
	}
	return err
}

// armToTune is the arm named, or the only one beside the baseline.
func armToTune(e *experiment.Experiment, name string) (experiment.Arm, error) {
	var others []string
	for _, a := range e.Arms {
		if a.Name == name {
			return a, nil
		}
		if a.Name != e.Baseline {
			others = append(others, a.Name)
		}
	}
	if name == "" && len(others) == 1 {
		arm, _ := e.Arm(others[0])
		return arm, nil
	}
	if name == "" {
		return experiment.Arm{}, usage{fmt.Errorf("tune: choose an arm with --arm: %s", strings.Join(others, ", "))}
	}
	return experiment.Arm{}, usage{e.Problem("arms", "unknown arm %q; the arms are %s", name, strings.Join(e.Arms.Names(), ", "))}
}
