package main

// `tare run --in-cluster`: a pod carries the run out, and this machine may sleep.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
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
		if o.detach && c.Flags().Changed("out") {
			return hinted{usage{errors.New("run --in-cluster: --detach fetches nothing, and --out names the directory for what is fetched; leave out --out")},
				"fetch the run into it later: tare fetch NAME --wait --out " + c.Flags().Lookup("out").Value.String()}
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
	if err := freshDir(run.out); err != nil {
		return err
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
	r := kubernetes.InCluster{Name: runName(e.Metadata.Name), Image: o.image, Experiment: e.Source, Size: o.size, StorageClass: o.class, Node: o.node, Account: o.account}
	if e.WorkloadFile != nil {
		r.Workload, r.WorkloadName = e.WorkloadFile.Text, filepath.Base(e.Load.Workload)
	}
	if r.Arms, err = armGrants(e); err != nil {
		return err
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
	if err := tellOthers(ctx, t, remote); err != nil {
		return err
	}
	note := io.Discard
	if wholeNode.Match(e.Source) { // other runs need not read nodes
		note = t.err
	}
	if r.Name, err = remote.Start(ctx, r, note); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "run %s is created in namespace %s; if this connection ends, continue with: %s\n", r.Name, remote.Namespace(), again(remote, r.Name))
	t.follows.Store(r.Name)
	if err := provide(ctx, t, remote, r, program, again(remote, r.Name)); err != nil {
		return err
	}
	if o.detach {
		return detached(ctx, t, remote, r.Name)
	}
	return followAndFetch(ctx, t, remote, r.Name, run, o)
}

// armGrants are what the arms in the cluster need, which the account of a run gets.
func armGrants(e *experiment.Experiment) ([]kubernetes.Grant, error) {
	var all []kubernetes.Grant
	var problems experiment.Problems
	for _, arm := range e.Arms {
		if arm.Target != "kubernetes" {
			continue
		}
		needs, err := kubernetes.ArmGrants(arm.Decode)
		problems = append(problems, asProblems(arm, err)...)
		all = append(all, needs...)
	}
	return all, problems.Err()
}

// tellOthers names the runs that are under way in the namespace. They are no error, as two runs of one machine are: they
// disturb each other only where their pods share a node or a volume.
func tellOthers(ctx context.Context, t *terminal, remote *kubernetes.Remote) error {
	all, err := remote.Runs(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range all {
		if r.State == "running" {
			names = append(names, r.Name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(t.err, "tare: warning: namespace %s has %s under way: %s. Runs whose pods share nodes or volumes disturb each other; wait with tare fetch NAME --wait, or give the arms different nodes (node:)\n",
			remote.Namespace(), language.English().Count(len(names), "run"), strings.Join(names, ", "))
	}
	return nil
}

// wholeNode finds an arm that gets all CPUs of its node.
var wholeNode = regexp.MustCompile(`\bcpu:\s*["']?max\b`)

// runName is the name of a run that begins now, of an experiment of that name.
func runName(experiment string) string {
	return "tare-run-" + experiment[:min(len(experiment), 25)] + "-" + time.Now().UTC().Format("20060102-150405")
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

// detached says that a run has started, or that it has failed already, as with an image without tare.
func detached(ctx context.Context, t *terminal, remote *kubernetes.Remote, name string) error {
	why, err := remote.Failure(ctx, name)
	if err == nil && why != "" {
		err = fmt.Errorf("run %s failed as it started: %s", name, strings.TrimSpace(why))
	}
	if err != nil {
		return hinted{err, "see what it printed: " + again(remote, name) + "\n  remove it with: " + toEnd(remote, name)}
	}
	fmt.Fprintf(t.err, "run %s started\n", name)
	return nil
}

// provide waits until the pod of a new run runs and has its program. A run that cannot start is removed again, but not if
// only the connection of whoever asks has ended.
func provide(ctx context.Context, t *terminal, remote *kubernetes.Remote, r kubernetes.InCluster, p kubernetes.Program, again string) error {
	err := remote.Provide(ctx, r.Name, p, t.err)
	switch {
	case err == nil && r.Arch == "":
		return nil
	case err == nil:
		fmt.Fprintln(t.err, "tare's program is in the run's volume; a pod that replaces a lost one finds it there")
		return nil
	case ctx.Err() != nil && r.Arch == "":
		return hinted{err, "the run begins when its pod can start; get it with: " + again}
	case ctx.Err() != nil:
		return hinted{err, "the run waits ten minutes for its program; send it with: " + again}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if left := remote.Remove(last, r.Name, nil, t.err); left != nil {
		return errors.Join(err, left)
	}
	return fmt.Errorf("run %s cannot start, and is removed: %w", r.Name, err)
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
	if e.Load.From.Has("context") {
		problems = append(problems, e.Load.From.Problem("context", notInPod))
	}
	var arms []experiment.Arm
	for _, arm := range e.Arms {
		if arm.Target != "kubernetes" && arm.Target != "external" {
			problems = append(problems, arm.Problem("target", "--in-cluster runs in a pod, which has no target %s; use kubernetes or external", arm.Target))
			continue
		}
		arms = append(arms, arm)
		for _, field := range []string{"context", "passwordEnv"} {
			if arm.Has(field) {
				problems = append(problems, arm.Problem(field, notInPod))
			}
		}
		if ns, given := arm.Setting("namespace"); given && ns != namespace {
			problems = append(problems, arm.Problem("namespace", "with --in-cluster the arms are in the namespace of the run, %s; leave it out, or use --namespace %s", namespace, ns))
		}
	}
	return append(problems, e.PathProblems(arms, readInPod, notInPod)...).Err()
}

const notInPod = "the pod of --in-cluster does not have this machine's files, variables and clusters"

// readInPod tells which paths a run of targets kubernetes and external reads. The workload file is sent to the pod.
func readInPod(field string) bool {
	return field != "load.workload" && field != "data.directory" && !strings.Contains(field, "database.")
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
				return ofInside(resumeRun(c.Context(), t, a[1], runOptions{format: "text", unjudged: true}))
			}
			e, err := checkedSpec(c.Context(), t, a[0], specChange{})
			if err != nil {
				return err
			}
			return ofInside(startRun(c.Context(), t, e, runOptions{out: a[1], format: "text", unjudged: true}))
		},
	}
}

// ofInside is an error for whoever reads the pod's log: the directory that a hint would have them resume is in the pod. One that
// each other attempt has too is of the experiment, so that the Job starts no other pod.
func ofInside(err error) error {
	var h hinted
	if errors.As(err, &h) && strings.Contains(h.hint, "tare run --resume") {
		err = h.error
	}
	if hopeless(err) {
		return usage{err}
	}
	return err
}
