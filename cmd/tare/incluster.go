package main

// `tare run --in-cluster` and `tare fetch`: a pod carries the run out, and this machine
// may sleep.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// clusterOptions say which cluster, and what a run there needs.
type clusterOptions struct {
	at           kubernetes.Where
	inside       bool
	image, size  string
	base, file   string // an image with a shell, and a tare for its nodes
	class, node  string
	account      string
	detach       bool
	wait, delete bool
	force        bool
}

// whereFlags are the flags that name a cluster and a namespace.
func whereFlags(c *cobra.Command, at *kubernetes.Where) {
	c.Flags().StringVar(&at.Kubeconfig, "kubeconfig", "", "kubeconfig file of the cluster (default as kubectl)")
	c.Flags().StringVar(&at.Context, "context", "", "context of the kubeconfig")
	c.Flags().StringVarP(&at.Namespace, "namespace", "n", "", "namespace in the cluster (default the context's, else tare)")
}

func (o *clusterOptions) runFlags(c *cobra.Command) {
	c.Flags().BoolVar(&o.inside, "in-cluster", false, "carry out the run in a pod of the cluster, with a volume for the run directory")
	c.Flags().StringVar(&o.image, "image", "", "image of tare (default none: this program is streamed into the volume)")
	c.Flags().StringVar(&o.base, "base-image", "", "image with a shell, which the program is streamed for (default that of the first arm)")
	o.programFlag(c)
	c.Flags().StringVar(&o.size, "volume-size", "10Gi", "size of the volume")
	c.Flags().StringVar(&o.class, "storage-class", "", "storage class of the volume (default the cluster's)")
	c.Flags().StringVar(&o.node, "node-name", "", "host name of the node to run on (default any)")
	c.Flags().StringVar(&o.account, "service-account", "", "service account with the permissions of docs/kubernetes-rbac.yaml (default create one)")
	c.Flags().BoolVar(&o.detach, "detach", false, "start the run and return; tare fetch gets it later")
	whereFlags(c, &o.at)
	insteadOfFile(c)
}

// programFlag names the tare that is streamed.
func (o *clusterOptions) programFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "program", "", "tare for linux and the architecture of the nodes, to stream (default this program)")
}

// clusterFlags are the flags that mean something with --in-cluster alone.
func clusterFlags() []string {
	return []string{"image", "base-image", "program", "volume-size", "storage-class", "node-name", "service-account", "detach"}
}

// clusterOnly refuses flags and combinations that make no sense.
func clusterOnly(c *cobra.Command, o clusterOptions) error {
	if o.inside {
		for _, name := range []string{"resume", "metrics", "allow"} {
			if c.Flags().Changed(name) {
				return usage{fmt.Errorf("run: --%s cannot be combined with --in-cluster", name)}
			}
		}
		return nil
	}
	for _, name := range clusterFlags() {
		if c.Flags().Changed(name) {
			return usage{fmt.Errorf("run: --%s needs --in-cluster", name)}
		}
	}
	return nil
}

// startInCluster makes the run's objects, shows what it prints, and fetches it.
func startInCluster(ctx context.Context, t *terminal, spec string, change specChange, run runOptions, o clusterOptions) error {
	if o.image != "" && (o.base != "" || o.file != "") {
		return usage{errors.New("run --in-cluster: --image is an image of tare, and needs no stream; leave it out, or --base-image and --program")}
	}
	e, err := readSpec(spec, change)
	if err != nil {
		return err
	}
	remote, err := kubernetes.ConnectRemote(o.at)
	if err != nil {
		return usage{err}
	}
	if remote.Namespace() == "default" { // in a pod there, arms without a namespace would be in tare
		return usage{errors.New("run --in-cluster: use another namespace than default")}
	}
	if err := fitsInside(e, remote.Namespace()); err != nil {
		return err
	}
	name := "tare-run-" + e.Metadata.Name[:min(len(e.Metadata.Name), 25)] + "-" + time.Now().UTC().Format("20060102-150405")
	r := kubernetes.InCluster{Name: name, Image: o.image, Experiment: e.Source, Size: o.size, StorageClass: o.class, Node: o.node, Account: o.account}
	if e.WorkloadFile != nil {
		r.Workload, r.WorkloadName = e.WorkloadFile.Text, filepath.Base(e.Load.Workload)
	}
	var program kubernetes.Program
	if o.image == "" {
		if program, err = o.streamed(e, &r); err != nil {
			return err
		}
	}
	if err := remote.Check(ctx, r); err != nil {
		return err
	}
	if r.Name, err = remote.Start(ctx, r, t.err); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "run %s is created in namespace %s; if this connection ends, continue with: %s\n", r.Name, remote.Namespace(), again(remote, r.Name))
	if err := provide(ctx, t, remote, r, program, again(remote, r.Name)); err != nil {
		return err
	}
	if o.detach {
		fmt.Fprintf(t.err, "run %s started\n", r.Name)
		return nil
	}
	return followAndFetch(ctx, t, remote, r.Name, run, o)
}

// again is the command that follows and fetches a run, and toEnd the one that ends and removes it.
func again(remote *kubernetes.Remote, name string) string {
	return "tare fetch " + name + " --wait --namespace " + remote.Namespace()
}

func toEnd(remote *kubernetes.Remote, name string) string {
	return "tare fetch " + name + " --delete --force --namespace " + remote.Namespace()
}

// streamed makes the run one whose program is streamed, and finds the program.
func (o *clusterOptions) streamed(e *experiment.Experiment, r *kubernetes.InCluster) (p kubernetes.Program, err error) {
	if p, err = kubernetes.FindProgram(o.file); err != nil {
		return p, hinted{usage{fmt.Errorf("run --in-cluster: --program: %w", err)}, "name tare's program for linux and the nodes' architecture with --program FILE, or an image of tare with --image (tare image --push builds it)"}
	}
	r.Arch, r.Image = p.Arch(), o.base
	for _, arm := range e.Arms {
		if r.Image == "" && arm.Target == "kubernetes" {
			if r.Image, err = kubernetes.ShellImage(arm.Decode); err != nil {
				return p, err
			}
		}
	}
	if r.Image == "" {
		return p, usage{errors.New("run --in-cluster: no arm names an image; write --base-image IMAGE, any with a shell, or --image IMAGE, one of tare")}
	}
	return p, nil
}

// provide gives a new run its program. A run that cannot get it is removed again, but not if only the connection of whoever
// asks has ended.
func provide(ctx context.Context, t *terminal, remote *kubernetes.Remote, r kubernetes.InCluster, p kubernetes.Program, again string) error {
	if r.Arch == "" {
		return nil
	}
	err := remote.Provide(ctx, r.Name, p, t.err)
	switch {
	case err == nil:
		fmt.Fprintln(t.err, "tare's program is in the run's volume; a pod that replaces a lost one finds it there")
		return nil
	case ctx.Err() != nil:
		return hinted{err, "the run waits ten minutes for its program; send it with: " + again}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return errors.Join(err, remote.Remove(last, r.Name, nil, t.err))
}

func followAndFetch(ctx context.Context, t *terminal, remote *kubernetes.Remote, name string, run runOptions, o clusterOptions) error {
	end, err := remote.Follow(ctx, name, t.err, t.err)
	if err != nil {
		return hinted{err, "the run continues in the cluster; get it with: " + again(remote, name) + "\n  end it and remove it with: " + toEnd(remote, name)}
	}
	return fetchRun(ctx, t, remote, end, run, o)
}

// fitsInside refuses what a pod does not have: this machine's servers, files and
// clusters.
func fitsInside(e *experiment.Experiment, namespace string) error {
	var problems experiment.Problems
	if e.Load.Engine != "tare" {
		problems = append(problems, e.Problem("load.engine", "the pod has no sysbench; for --in-cluster use engine: tare"))
	}
	if name := filepath.Clean(e.Load.Workload); e.WorkloadFile != nil && (name != filepath.Base(name) || !kubernetes.ValidBeside(name)) {
		problems = append(problems, e.Problem("load.workload", "for --in-cluster the workload file must be in the directory of the experiment, with a name of letters, digits, dots, _ and -"))
	}
	for _, field := range []string{"kubeconfig", "context", "programs"} {
		if e.Load.From.Has(field) {
			problems = append(problems, e.Load.From.Problem(field, "the pod of --in-cluster does not have this machine's files and clusters"))
		}
	}
	for _, arm := range e.Arms {
		if arm.Target != "kubernetes" && arm.Target != "external" {
			problems = append(problems, arm.Problem("target", "--in-cluster runs in a pod, which has no target %s; use kubernetes or external", arm.Target))
			continue
		}
		for _, field := range []string{"kubeconfig", "context", "manifests", "passwordFile", "passwordEnv", "ca", "programs"} {
			if arm.Has(field) {
				problems = append(problems, arm.Problem(field, "the pod of --in-cluster does not have this machine's files, variables and clusters"))
			}
		}
		if ns, given := arm.Setting("namespace"); given && ns != namespace {
			problems = append(problems, arm.Problem("namespace", "with --in-cluster the arms are in the namespace of the run, %s; leave it out, or use --namespace %s", namespace, ns))
		}
	}
	return problems.Err()
}

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
			if o.wait {
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
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTARTED\tSTATE")
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, r.Started.UTC().Format(time.RFC3339), strings.TrimSpace(r.State+" "+r.Why))
	}
	return w.Flush()
}

// fetchRun brings a run that has ended home and shows its results. A run that failed is
// fetched too: what was measured is in it.
func fetchRun(ctx context.Context, t *terminal, remote *kubernetes.Remote, r kubernetes.RemoteRun, run runOptions, o clusterOptions) error {
	if r.State == "running" {
		return hinted{usage{fmt.Errorf("fetch: run %s has not ended", r.Name)}, "wait for it with: " + again(remote, r.Name) + "\n  end it and remove it with: " + toEnd(remote, r.Name)}
	}
	dir := run.out
	if dir == "" {
		dir = filepath.Join("runs", r.Name)
	}
	if err := remote.Fetch(ctx, r, t.err, func(in io.Reader) error { return record.Unpack(in, dir) }); err != nil {
		if !o.force || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(t.err, "run %s is removed without its results, which cannot be fetched: %v; if it has left arms, remove them with: tare clean --namespace %s --force\n", r.Name, err, remote.Namespace())
		return remote.Remove(ctx, r.Name, nil, t.err)
	}
	fmt.Fprintf(t.err, "fetched: %s\n", dir)
	var removal error // what was fetched is shown all the same
	if o.delete {
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

// removeFetched removes a run from the cluster. The names of its arms are in what was fetched.
func removeFetched(ctx context.Context, t *terminal, remote *kubernetes.Remote, name, dir string) error {
	arms, err := record.Arms(dir)
	if err != nil {
		return err
	}
	return remote.Remove(ctx, name, arms, t.err)
}

// insideVerb is what the pod of a run in a cluster runs: it starts the run, or resumes it
// where an earlier pod was lost.
func insideVerb(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "inside SPEC DIR", Short: "Start or resume a run in a pod", Hidden: true,
		Args: args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, a []string) error {
			t.out = io.Discard // whoever follows the log gets the report from the run directory
			if _, err := os.Stat(filepath.Join(a[1], record.PlanFile)); err == nil {
				return resumeRun(c.Context(), t, a[1], runOptions{format: "text"})
			}
			e, err := checkedSpec(c.Context(), t, a[0], specChange{})
			if err != nil {
				return err
			}
			return startRun(c.Context(), t, e, runOptions{out: a[1], format: "text"})
		},
	}
}
