package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// runOptions are the flags of `tare run` and `tare demo`.
type runOptions struct {
	out     string
	json    bool
	metrics string // address to serve live figures at, "" for none
	at      net.Listener
}

func runVerb(t *terminal) *cobra.Command {
	var o runOptions
	var resume string
	c := &cobra.Command{
		Use:   "run SPEC | run --resume DIR",
		Short: "Run an experiment and compare its arms",
		Long: "Run the experiment of a file: every arm in every round, in an order drawn from the seed.\n" +
			"A run that was interrupted or killed goes on with --resume; trials that are complete stay.",
		Args: args(func(c *cobra.Command, a []string) error {
			if resume != "" {
				return cobra.MaximumNArgs(1)(c, a)
			}
			return cobra.ExactArgs(1)(c, a)
		}),
		RunE: func(c *cobra.Command, a []string) error {
			if resume != "" {
				if err := resumable(resume, a); err != nil {
					return err
				}
				return resumeRun(c.Context(), t, resume, o)
			}
			e, err := checkedSpec(c.Context(), t, a[0])
			if err != nil {
				return err
			}
			return startRun(c.Context(), t, e, o)
		},
	}
	c.Flags().StringVar(&o.out, "out", "", "run directory to make (default runs/NAME-TIME)")
	c.Flags().StringVar(&resume, "resume", "", "go on with the run in this directory")
	allowFlag(c, t)
	c.Flags().BoolVar(&o.json, "json", false, "progress as JSON lines on standard error, result as JSON on standard output")
	c.Flags().StringVar(&o.metrics, "metrics", "", "serve live figures for Prometheus at this address while the run is on, such as 127.0.0.1:9411")
	return c
}

// startRun is the story of a run: find everything, fix the plan, carry it out,
// compare its arms.
func startRun(ctx context.Context, t *terminal, e *experiment.Experiment, o runOptions) error {
	job, err := assemble(ctx, t, e, t.err)
	if err != nil {
		return err
	}
	if o.at, err = listenMetrics(o.metrics); err != nil {
		return err
	}
	job.Dir = o.out
	if job.Dir == "" {
		job.Dir = filepath.Join("runs", e.Metadata.Name+"-"+time.Now().UTC().Format("20060102T150405Z"))
	}
	job.Plan = experiment.NewPlan(e)
	if err := record.Create(job.Dir, e, job.Plan); err != nil {
		return usage{err}
	}
	return carryOut(ctx, t, job, o)
}

// resumeRun goes on where a run was cut off.
func resumeRun(ctx context.Context, t *terminal, dir string, o runOptions) error {
	before, err := record.Open(dir)
	if err != nil {
		return usage{err}
	}
	if before.Imported != nil {
		return usage{fmt.Errorf("resume: %s was imported; there is nothing to run", dir)}
	}
	job, err := assemble(ctx, t, before.Experiment, t.err)
	if err != nil {
		return err
	}
	job.Dir, job.Plan = dir, before.Plan
	if o.at, err = listenMetrics(o.metrics); err != nil {
		return err
	}
	return carryOut(ctx, t, job, o)
}

func carryOut(ctx context.Context, t *terminal, job runner.Job, o runOptions) error {
	// What cannot be removed now does not keep the user from measuring.
	if _, err := sweep(ctx, t, job.State, false); err != nil {
		fmt.Fprintf(t.err, "tare: warning: what an earlier run left could not all be removed: %s\n", err)
	}
	show := newProgress(t, job, o.json)
	job.Observe = show.Observe
	stop := serveMetrics(o.at, show)
	err := measure(ctx, &job, show)
	stop()
	show.Close()
	if err != nil {
		return hinted{err, fmt.Sprintf("go on with: tare run --resume %s", job.Dir)}
	}
	return conclude(t, job.Dir, o.json)
}

// conclude compares the arms of a finished run, keeps verdict and page beside the record, and
// prints the answer.
func conclude(t *terminal, dir string, asJSON bool) error {
	doc, err := buildReport(dir)
	if err != nil {
		return err
	}
	page, err := keepReport(dir, doc)
	if err != nil {
		return err
	}
	format := "text"
	if asJSON {
		format = "json"
	}
	if err := render(t, t.out, doc, format); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "report: %s\n", page)
	return nil
}
