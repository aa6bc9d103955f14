package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target/external"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

func cleanVerb(t *terminal) *cobra.Command {
	var force, caches bool
	var cluster kubernetes.Where
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left on this machine or in a cluster",
		Long: "Remove processes, mounts, cgroups and directories that killed runs left on this machine, and drop\n" +
			"the schemas that they left on external servers. Run directories are never removed. --data also removes\n" +
			"prepared data and unpacked images.\n\n" +
			"With --kubeconfig, --context or --namespace, remove what is left in that namespace of a cluster instead.\n" +
			"--force also stops the runs of `tare run --in-cluster` there; `tare fetch NAME --delete` gets what they measured\n" +
			"and removes them.",
		Example: "  tare clean\n  tare clean --data\n  tare clean --context prod --namespace tare",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if cluster != (kubernetes.Where{}) {
				return cleanCluster(c.Context(), t, cluster, force)
			}
			state, err := t.state()
			if err != nil {
				return err
			}
			n, err := sweep(c.Context(), t, state, force)
			schemas, dropErr := external.Clean(c.Context(), state.Ledger(), force, t.err)
			n += schemas
			err = errors.Join(err, dropErr, removeTrials())
			fmt.Fprintln(t.out, removedLine(n, err))
			if err != nil {
				return err
			}
			if !caches {
				left, err := state.Caches()
				fmt.Fprint(t.err, leftLines(left))
				return err
			}
			removed, err := state.RemoveCaches()
			fmt.Fprint(t.out, cachesLines(removed, err))
			return err
		},
	}
	c.Flags().BoolVar(&force, "force", false, "also remove what a tare process that is still running uses, whose run fails, and stop runs inside the cluster")
	c.Flags().BoolVar(&caches, "data", false, "also remove prepared data and unpacked images")
	whereFlags(c, &cluster)
	return c
}

// cleanCluster removes what is left in a namespace, and names each object and their number.
func cleanCluster(ctx context.Context, t *terminal, at kubernetes.Where, force bool) error {
	var kept bytes.Buffer // what is not removed, or is only stopped
	n := 0
	_, err := kubernetes.Clean(ctx, at, force, io.MultiWriter(t.err, &kept), func(object string) {
		n++
		fmt.Fprintf(t.out, "%s removed\n", object)
	})
	var runs []string // which have results, and are not removed
	if err == nil {
		runs, err = runsLeft(ctx, at)
	}
	switch {
	case n == 0 && err == nil && (kept.Len() > 0 || len(runs) > 0):
		fmt.Fprintln(t.out, "0 removed")
	case err == nil || n > 0:
		fmt.Fprintln(t.out, removedLine(n, err))
	}
	for _, r := range runs {
		fmt.Fprintln(t.err, r)
	}
	return err
}

// runsLeft says of each run inside a namespace how it is fetched and removed.
func runsLeft(ctx context.Context, at kubernetes.Where) (said []string, err error) {
	remote, err := kubernetes.ConnectRemote(at)
	if err != nil {
		return nil, err
	}
	runs, err := remote.Runs(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		next := "fetch and remove it with: " + toRemove(remote, r.Name)
		if r.State == "running" {
			next = "follow it with: " + again(remote, r.Name) + "; end, fetch and remove it with: " + toEnd(remote, r.Name)
		}
		said = append(said, fmt.Sprintf("run %s (%s) is left; %s", r.Name, r.State, next))
	}
	return said, nil
}

// sweep removes the instances whose tare has ended and returns how many. One that
// cannot be removed does not keep the others.
func sweep(ctx context.Context, t *terminal, state runner.State, force bool) (int, error) {
	states, err := state.All()
	errs := []error{err}
	n := 0
	for _, s := range states {
		left, err := s.Instances()
		errs = append(errs, err)
		for _, l := range left {
			if l.Alive && !force {
				continue
			}
			if err := l.Sweep(ctx, force, t.err); err != nil {
				errs = append(errs, err)
				continue
			}
			n++
		}
	}
	return n, errors.Join(errs...)
}

// removedLine says how much was removed, and of nothing that there was nothing.
func removedLine(n int, err error) string {
	if n == 0 && err == nil {
		return "0 removed: killed runs have left nothing here"
	}
	return fmt.Sprintf("%d removed", n)
}

// leftLines say what clean leaves: prepared data and images that are here, and what is in clusters.
func leftLines(left []runner.Cache) string {
	var b strings.Builder
	for _, c := range left {
		fmt.Fprintf(&b, "%s is left, %s MiB of what tare prepared for the next run; remove it with: tare clean --data\n", c.Dir, mib(c.Bytes))
	}
	return b.String() + "Nothing in a cluster was looked at; remove what killed runs left there with: tare clean --namespace NAMESPACE\n"
}

func mib(bytes int64) string { return language.Decimal(float64(bytes)/(1<<20), 1) }

// cachesLines name prepared data and images that were removed, with their size.
func cachesLines(removed []runner.Cache, err error) string {
	if len(removed) == 0 && err == nil {
		return "no prepared data and no unpacked images are here\n"
	}
	var b strings.Builder
	for _, r := range removed {
		fmt.Fprintf(&b, "%s removed, %s MiB\n", r.Dir, mib(r.Bytes))
	}
	return b.String()
}
