package main

// `tare fetch`: the runs in a cluster are listed, followed, fetched and removed.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

func fetchVerb(t *terminal) *cobra.Command {
	var o clusterOptions
	var run runOptions
	c := &cobra.Command{
		Use:   "fetch [NAME]",
		Short: "Fetch a run from a cluster, or list the runs there",
		Long: "Fetch the run directory of `tare run --in-cluster` from its volume and show the results. Without NAME,\n" +
			"list the runs in the namespace.\n\n" +
			"--wait shows the progress of a run until it ends, and fetches it then. --delete removes the run and its\n" +
			"volume from the cluster after it was fetched. With --force it ends a run that has not ended first.",
		Example: "  tare fetch --namespace tare\n  tare fetch tare-run-first-20261123-101500 --wait --out runs/first --delete",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			remote, err := kubernetes.ConnectRemote(o.at)
			if err != nil {
				return usage{err}
			}
			if o.force && (!o.delete || o.wait) {
				return usage{errors.New("fetch: --force ends a run and removes it: it needs --delete, and cannot be combined with --wait")}
			}
			if len(a) == 0 {
				return listRemote(c.Context(), t, remote)
			}
			if err := freshDir(run.out); err != nil {
				return err
			}
			if o.wait {
				t.follows.Store(a[0])
				if err := o.provideAgain(c.Context(), t, remote, a[0]); err != nil {
					return err
				}
				return followAndFetch(c.Context(), t, remote, a[0], run, o)
			}
			return fetchNow(c.Context(), t, remote, a[0], run, o)
		},
	}
	c.Flags().StringVar(&run.out, "out", "", "run directory to create (default runs/NAME)")
	formatFlag(c, &run.format, "text", "json")
	c.Flags().BoolVar(&o.wait, "wait", false, "show the run's progress and fetch it when it has ended")
	o.programFlag(c)
	c.Flags().BoolVar(&o.force, "force", false, "with --delete, end the run if it has not ended, and remove it also if it cannot be fetched")
	c.Flags().BoolVar(&o.delete, "delete", false, "remove the run and its volume from the cluster after fetching it")
	whereFlags(c, &o.at)
	return c
}

// again is the command that follows and fetches a run, toRemove the one that removes it, and toEnd the one that ends it first.
func again(remote *kubernetes.Remote, name string) string { return fetchOf(remote, name, "--wait") }

func toRemove(remote *kubernetes.Remote, name string) string {
	return fetchOf(remote, name, "--delete")
}

func toEnd(remote *kubernetes.Remote, name string) string {
	return fetchOf(remote, name, "--delete --force")
}

// fetchOf is the command that finds a run again: the cluster and context are named where this command was given them.
func fetchOf(remote *kubernetes.Remote, name, flags string) string {
	return "tare fetch " + name + " " + flags + placeFlags(remote)
}

// placeFlags are the flags that name the cluster and namespace, with a space before each.
func placeFlags(remote *kubernetes.Remote) string { return flagsOf(remote.At()) }

// flagsOf are those of a place.
func flagsOf(at kubernetes.Where) string {
	command := ""
	for _, f := range [][2]string{{"--namespace", at.Namespace}, {"--context", at.Context}, {"--kubeconfig", at.Kubeconfig}} {
		if f[1] != "" {
			command += " " + f[0] + " " + safe.ShellWord(f[1])
		}
	}
	return command
}

// fetchNow fetches a run that has ended, or by --force one that is ended for that.
func fetchNow(ctx context.Context, t *terminal, remote *kubernetes.Remote, name string, run runOptions, o clusterOptions) error {
	r, err := remote.Run(ctx, name)
	if err != nil {
		return err
	}
	if o.force && r.State == "running" {
		fmt.Fprintf(t.err, "ending run %s\n", name)
		if err := remote.Stop(ctx, name); err != nil {
			return err
		}
		if r, err = remote.Run(ctx, name); err != nil {
			return err
		}
	}
	return fetchRun(ctx, t, remote, r, run, o)
}

// provideAgain streams the program into a run that waits for it: whoever started it has lost the connection.
func (o *clusterOptions) provideAgain(ctx context.Context, t *terminal, remote *kubernetes.Remote, name string) error {
	r, err := remote.Run(ctx, name)
	if err != nil || !r.Streamed() || r.State != "running" {
		return err
	}
	p, err := kubernetes.FindProgram(o.file)
	if err == nil {
		err = remote.Provide(ctx, name, p, t.err)
	}
	if err != nil && ctx.Err() == nil { // the run may have its program, and these credentials no permission to look
		fmt.Fprintf(t.err, "the run does not get its program from here: %v\n", err)
		return nil
	}
	return err
}

func listRemote(ctx context.Context, t *terminal, remote *kubernetes.Remote) error {
	runs, err := remote.Runs(ctx)
	if err != nil {
		return err
	}
	waits := remote.Waiting(ctx, runs)
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTARTED\tSTATE")
	for _, r := range runs {
		state := strings.TrimSpace(r.State + " " + r.Why)
		if why := waits[r.Name]; why != "" {
			state = "waiting: " + why
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, r.Started.UTC().Format(time.RFC3339), state)
	}
	return w.Flush()
}

// fetchRun brings a run that has ended home and shows its results. A run that failed is
// fetched too: what was measured is in it.
func fetchRun(ctx context.Context, t *terminal, remote *kubernetes.Remote, r kubernetes.RemoteRun, run runOptions, o clusterOptions) error {
	if r.State == "running" {
		return hinted{usage{fmt.Errorf("fetch: run %s has not ended", r.Name)}, "wait for it with: " + again(remote, r.Name) + "\n  end it and remove it with: " + toEnd(remote, r.Name)}
	}
	dir := fetchInto(run.out, r.Name)
	var here error // what failed on this machine is no reason to remove the run
	if err := remote.Fetch(ctx, r, t.err, func(in io.Reader) error {
		err := record.Unpack(in, dir)
		if of := (*fs.PathError)(nil); errors.As(err, &of) {
			here = err
		}
		return err
	}); err != nil {
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, kubernetes.ErrNoResults):
			return nothingFetched(ctx, t, remote, r, o, err)
		case here != nil:
			return hinted{err, "the run stays in the cluster; fetch it into another directory with --out"}
		case !o.force:
			return hinted{err, "the run stays in the cluster; remove it, with or without its results, with: " + toEnd(remote, r.Name)}
		}
		fmt.Fprintf(t.err, "run %s is removed without its results, which cannot be fetched: %v; if it has left arms, remove them with: tare clean --force%s\n", r.Name, err, placeFlags(remote))
		return remote.Remove(ctx, r.Name, nil, t.err)
	}
	fmt.Fprintf(t.err, "fetched: %s\n", dir)
	var removal error // what was fetched is shown all the same
	if !o.delete {
		fmt.Fprintf(t.err, "run %s and its volume stay in the cluster; remove them with: %s\n", r.Name, toRemove(remote, r.Name))
	} else {
		removal = removeFetched(ctx, t, remote, r.Name, dir)
	}
	if r.State == "stopped" {
		fmt.Fprintf(t.err, "run %s was ended before its time; what it measured is in %s\n", r.Name, dir)
		return removal
	}
	if r.State == "failed" {
		return errors.Join(fmt.Errorf("run %s failed in the cluster: %s", r.Name, r.Why), removal)
	}
	if err := errors.Join(conclude(t, dir, run.format), removal); err != nil {
		return err
	}
	return run.judge(t, dir)
}

// nothingFetched ends the fetch of a run that has no results. With --delete it is removed.
func nothingFetched(ctx context.Context, t *terminal, remote *kubernetes.Remote, r kubernetes.RemoteRun, o clusterOptions, err error) error {
	err = fmt.Errorf("fetch run %s: %w", r.Name, err)
	if r.Why != "" {
		err = fmt.Errorf("%w: %s", err, r.Why)
	}
	if !o.delete {
		return hinted{err, "the run and its volume stay in the cluster; remove them with: " + toRemove(remote, r.Name)}
	}
	return errors.Join(err, remote.Remove(ctx, r.Name, nil, t.err))
}

// fetchInto is the directory for a run: the one that is named, else one of the run's name. Where that exists, as after a
// fetch without --delete, another is made beside it: it is not known whether it holds this run.
func fetchInto(named, run string) string {
	if named != "" {
		return filepath.Clean(named)
	}
	dir := filepath.Join("runs", run)
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = filepath.Join("runs", fmt.Sprintf("%s-%d", run, n))
	}
}

// freshDir refuses a directory for a fetched run that exists, before there is a run.
func freshDir(named string) error {
	if named == "" {
		return nil
	}
	if _, err := os.Lstat(named); err == nil {
		return hinted{usage{fmt.Errorf("--out: %s exists", named)}, "name a directory that does not exist, or leave out --out"}
	}
	return nil
}

// removeFetched removes a run from the cluster. The names of its arms are in what was fetched.
func removeFetched(ctx context.Context, t *terminal, remote *kubernetes.Remote, name, dir string) error {
	arms, err := record.Arms(dir)
	if err != nil {
		return err
	}
	return remote.Remove(ctx, name, arms, t.err)
}
