package main

// The first experiment in a cluster, without a file: `tare demo --kubernetes` runs it, and
// `tare init --kubernetes` writes it.

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

//go:embed cluster.yaml.tmpl
var clusterExperiment string

// clusterFirst are the flags of a first experiment in a cluster.
type clusterFirst struct {
	on          bool
	at          kubernetes.Where
	database    string // the image of the server
	clientImage string
	node        string
	places      bool // the run begins with a pod that finds the node, where nodes may not be read
	inCluster   bool // the experiment is for a pod, which has no kubeconfig
	rounds      int
	command     string // that writes or runs it
	name        string
}

func (o *clusterFirst) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.on, "kubernetes", calledByKubectl(), "in the cluster of the current context, instead of this machine")
	c.Flags().StringVar(&o.clientImage, "client-image", "", "with --kubernetes: an image of tare (tare image builds it) for load pods and neighbours (default stream tare's program into pods of the server's image)")
	c.Flags().StringVar(&o.node, "node-name", "", "with --kubernetes: host name of the node for all arms (default the one with the most free CPU)")
	whereFlags(c, &o.at)
}

// only refuses flags of a cluster without --kubernetes.
func (o clusterFirst) only(c *cobra.Command, more ...string) error {
	for _, name := range append([]string{"client-image", "node-name", "kubeconfig", "context", "namespace"}, more...) {
		if !o.on && c.Flags().Changed(name) {
			return usage{fmt.Errorf("%s: --%s needs --kubernetes", c.Name(), name)}
		}
	}
	return nil
}

// notWith refuses flags that mean nothing in a cluster.
func (o clusterFirst) notWith(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if o.on && c.Flags().Changed(name) {
			return usage{fmt.Errorf("%s: --%s is for this machine; leave out --kubernetes", c.Name(), name)}
		}
	}
	if o.on && (strings.HasPrefix(o.database, "/") || strings.HasPrefix(o.database, "rootfs:") || strings.HasPrefix(o.database, "oci:")) {
		return usage{fmt.Errorf("%s: --database %s: a cluster runs images; write an image reference such as mysql:8.4", c.Name(), o.database)}
	}
	return nil
}

// clusterArm is an arm of the experiment, and what it is there for.
type clusterArm struct{ Name, Settings, Why string }

// clusterFields are what the template needs.
type clusterFields struct {
	Command, Name                          string
	Server, Namespace, Kubeconfig, Context string
	Node, Image, ClientImage, Pool         string
	Load                                   string // the request of a load pod
	LoadPods                               bool
	Threads, Rounds                        int
	Arms                                   []clusterArm
	Notes                                  []string
	cpu, load                              node.CPU
	memory                                 node.Bytes
	neighbour                              node.CPU
	all                                    node.Resources // what all pods of a round request together
	place                                  bool           // the node is not known before the run
}

// clusterSpec is the experiment for what a survey found, and what is left out of it.
func clusterSpec(o clusterFirst, s kubernetes.Survey) ([]byte, clusterFields, error) {
	f := clusterFields{
		Command: o.command, Name: o.name, Server: s.Server, Namespace: s.Namespace, Kubeconfig: quotedOr(o.at.Kubeconfig), Context: quotedOr(o.at.Context),
		Node: s.Node, Image: quote(orMySQL(o.database)), Pool: "256M", Notes: s.Notes, Threads: 4, Rounds: 8, // as many as six comparisons need for a verdict
	}
	if o.inCluster {
		f.Kubeconfig, f.Context = "", ""
	}
	switch {
	case o.node != "":
		f.Node = o.node
		if s.NodeAssumed != "" {
			f.leave(fmt.Sprintf("Node %s is taken for all arms, as --node-name says: %s", f.Node, s.NodeAssumed))
		}
	case o.places && s.MayPlace:
		f.Node, f.place = "", true
	case s.NodeAssumed != "":
		f.leave(fmt.Sprintf("Node %s runs a pod of this namespace and is taken for all arms: %s", s.Node, s.NodeAssumed))
	case s.NodeUnknown != "":
		f.leave(s.NodeUnknown)
	}
	if o.rounds > 0 {
		f.Rounds = o.rounds
	}
	neighbours, err := f.sizes(s, f.loadFrom(o, s))
	if err != nil {
		return nil, f, err
	}
	if f.place {
		f.leave(fmt.Sprintf("One node for all arms: the scheduler chooses it for a pod with %s of CPU and %s of memory, which runs nothing and is removed. These credentials may not list nodes.",
			millis(f.all.CPU), manifest.Size(int64(f.all.Memory))))
	}
	f.arms(s, neighbours)
	f.Load = f.load.String()
	text, err := rendered(clusterExperiment, f)
	return text, f, err
}

func quotedOr(s string) string {
	if s == "" {
		return ""
	}
	return quote(s)
}

func orMySQL(image string) string {
	if image == "" {
		return "mysql:8.4"
	}
	return image
}

// loadFrom decides where the load comes from, and whether there are pods beside the server.
func (f *clusterFields) loadFrom(o clusterFirst, s kubernetes.Survey) bool {
	if s.NoLoadPods != "" {
		f.leave("The load comes from this machine, which needs a route to the pods: " + s.NoLoadPods)
	}
	if s.NoNeighbour != "" {
		f.leave("The arms beside a busy neighbour are left out: " + s.NoNeighbour)
	}
	f.LoadPods, f.ClientImage = s.NoLoadPods == "", quotedOr(o.clientImage)
	return s.NoNeighbour == ""
}

func (f *clusterFields) leave(note string) { f.Notes = append(f.Notes, note) }

func millis(c node.CPU) string { return fmt.Sprintf("%dm", c) }

// arms are a pod of every class, and each beside a neighbour that may be.
func (f *clusterFields) arms(s kubernetes.Survey, neighbours bool) {
	cpu, memory := fmt.Sprintf("%dm", f.cpu), manifest.Size(int64(f.memory))
	classes := []clusterArm{
		{"besteffort", "qos: BestEffort", "No requests and no limits."},
		{"burstable", fmt.Sprintf("qos: Burstable, cpuRequest: %s, memoryRequest: %s", cpu, memory), "Requests alone."},
		{"guaranteed", fmt.Sprintf("qos: Guaranteed, cpu: %s, memory: %s", cpu, memory), strings.TrimSpace("Requests equal to limits: a CPU quota. " + f.whySize(s))},
	}
	if s.NoBurstable != "" {
		f.leave("The arms of class Burstable are left out: " + s.NoBurstable)
		classes = slices.Delete(classes, 1, 2)
	}
	if s.NoBestEffort != "" {
		f.leave("The arms of class BestEffort are left out: " + s.NoBestEffort)
		classes = classes[1:]
	}
	f.Arms = append(f.Arms, classes...)
	first := classes[0]
	f.Arms = append(f.Arms, clusterArm{"service", first.Settings + ", address: service", "Arm " + first.Name + " at the address of its Service."})
	if !neighbours {
		return
	}
	beside := fmt.Sprintf(", neighbour: {cpu: %d, request: %dm}", f.neighbour/1000, f.load)
	if !f.LoadPods && f.ClientImage != "" { // else it is among the defaults
		beside += ", clientImage: " + f.ClientImage
	}
	for _, c := range classes {
		f.Arms = append(f.Arms, clusterArm{c.Name + "-busy", c.Settings + beside,
			fmt.Sprintf("Beside a pod that wants `cpu: %d`.", f.neighbour/1000)})
	}
}

// look surveys the cluster. One that was not reached is assumed if that is asked for; the error is then the reason, beside
// the survey.
func (o clusterFirst) look(ctx context.Context, assume bool) (kubernetes.Survey, error) {
	s, why := kubernetes.Look(ctx, o.at, o.clientImage)
	if why != nil && !assume {
		if !errors.As(why, &target.Unavailable{}) {
			why = usage{why}
		}
		if of := (kubernetes.NoNamespace{}); errors.As(why, &of) {
			elsewhere := o.at
			elsewhere.Namespace = ""
			why = hinted{why, "create it with: kubectl create namespace " + of.Name + flagsOf(elsewhere) + "; or name another one with --namespace"}
		}
		return s, why
	}
	if why != nil {
		s = kubernetes.Assume(o.at)
	}
	return s, why
}

// experiment is the one for what a survey found.
func (o clusterFirst) experiment(s kubernetes.Survey) (*experiment.Experiment, clusterFields, error) {
	text, f, err := clusterSpec(o, s)
	if err != nil {
		return nil, f, err
	}
	e, err := experiment.ParseIn(".", o.name+".yaml", text)
	return e, f, err
}

// dryRun prints the objects of the demo.
func dryRun(ctx context.Context, t *terminal, o clusterFirst) error {
	o.places = true
	s, why := o.look(ctx, true)
	e, f, err := o.experiment(s)
	if err != nil {
		return err
	}
	for _, note := range f.Notes {
		fmt.Fprintln(t.err, note)
	}
	text, err := renderArms(e, "")
	if err != nil {
		return err
	}
	fmt.Fprint(t.out, text)
	fmt.Fprint(t.err, asCalled(objectsSummary(text, f.Namespace, neighboursOf(e))))
	if why != nil {
		return fmt.Errorf("the cluster was not asked, and the objects above are for an assumed one: %w", why)
	}
	return nil
}

// neighboursOf is how many arms have a neighbour: its pod is made when the server's node is known, and so is not rendered.
func neighboursOf(e *experiment.Experiment) (n int) {
	job := runner.Job{Experiment: e}
	_ = makeTargets(&job) // the arms were rendered: nothing is wrong with them
	for _, place := range job.Targets {
		if place.Capabilities().Neighbour {
			n++
		}
	}
	return n
}

// objectsSummary is what a page of objects and the pods of neighbours come to: how many of which kind, and which permissions they
// need.
func objectsSummary(text, namespace string, neighbours int) string {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		if kind, ok := strings.CutPrefix(line, "kind: "); ok {
			count[strings.TrimSpace(kind)]++
		}
	}
	also := ""
	if neighbours > 0 {
		count["Pod"] += neighbours
		also = "A Pod is the neighbour of an arm, made when the node of its server is known; where servers take turns, it has a Secret as well.\n"
	}
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		all = append(all, fmt.Sprintf("%d %s", count[kind], kind))
	}
	return fmt.Sprintf("Objects in namespace %s: %s. They are made arm by arm, and removed.\n%s"+
		"Where a pod can carry the run out, it has a Job, a ConfigMap and a PersistentVolumeClaim of %s of its own, which are removed as well.\n"+
		"Permissions: tare init --kubernetes writes this experiment as experiment.yaml; tare render --rbac --in-cluster experiment.yaml prints the Role.\n",
		namespace, strings.Join(all, ", "), also, insideVolume)
}

// demoInCluster says what it will do, asks once, and runs.
func demoInCluster(ctx context.Context, t *terminal, o clusterFirst, run runOptions, yes bool) error {
	if err := freshDir(run.out); err != nil {
		return err
	}
	o.places = true
	s, err := o.look(ctx, false)
	if err != nil {
		return err
	}
	e, f, err := o.experiment(s)
	if err != nil {
		return err
	}
	job, source, err := assembleWithData(ctx, t, e, t.err)
	if err != nil {
		return err
	}
	where := "namespace " + f.Namespace + " of " + f.Server
	if f.Node != "" {
		where += ", node " + f.Node
	}
	fmt.Fprintf(t.err, "tare will measure MySQL in pods (image %s; --database names another) in %s:\n%s", f.Image, where, outline(job, source))
	for _, arm := range f.Arms {
		fmt.Fprintf(t.err, "  arm %s {%s}: %s\n", arm.Name, arm.Settings, arm.Why)
	}
	for _, note := range f.Notes {
		fmt.Fprintf(t.err, "  %s\n", note)
	}
	in, here := o.inside(ctx, s, run)
	fmt.Fprintf(t.err, "  %s\n", carriedOut(here))
	fmt.Fprintln(t.err, "  Everything that it makes there is removed at the end, also after Ctrl-C. The objects: tare demo --kubernetes --dry-run")
	if !yes {
		if err := agreed(t); err != nil {
			return err
		}
	}
	if f.place {
		if o.node, err = onePlace(ctx, t, o, f.all); err != nil {
			return err
		}
		if e, _, err = o.experiment(s); err != nil {
			return err
		}
	}
	if here != nil {
		err = startRun(ctx, t, e, run)
	} else {
		err = in.carryOut(ctx, t, o, s, e, run)
	}
	if err != nil {
		return err
	}
	if why := f.whySize(s); why != "" {
		fmt.Fprintf(t.err, "note: what arm guaranteed costs here is what a CPU limit of %dm costs, not what the class Guaranteed costs with another limit. %s\n", f.cpu, why)
	}
	fmt.Fprintf(t.err, "next: tare init --kubernetes writes this experiment as a file; manifests: in it measures a database of yours (docs/kubernetes.md, Your own manifests)\n")
	return nil
}

// onePlace has the scheduler choose a node.
func onePlace(ctx context.Context, t *terminal, o clusterFirst, size node.Resources) (string, error) {
	at, err := kubernetes.Place(ctx, o.at, orMySQL(o.database), size, func(what string) { fmt.Fprintf(t.err, "  %s\n", what) })
	if err != nil {
		return "", err
	}
	fmt.Fprintf(t.err, "  node %s: all arms are on it\n", at)
	return at, nil
}

// agreed asks once.
func agreed(t *terminal) error {
	fmt.Fprint(t.err, "Run it? [y/N] ")
	line, err := bufio.NewReader(t.in).ReadString('\n')
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case answer == "y" || answer == "yes":
		return nil
	case err != nil && answer == "":
		fmt.Fprintln(t.err)
		return usage{errors.New("demo: there was no answer; run it without a question with --yes")}
	}
	return usage{errors.New("demo: not run")}
}

// writeForCluster writes the experiment as a file. Without a cluster there is nothing to write it for.
func writeForCluster(ctx context.Context, t *terminal, file string, o clusterFirst, force bool) error {
	s, err := o.look(ctx, false)
	if err != nil {
		return err
	}
	e, f, err := o.experiment(s)
	if err != nil {
		return err
	}
	if err := writeSpec(file, e.Source, force); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s written for namespace %s of %s.\n", file, f.Namespace, f.Server)
	for _, note := range f.Notes {
		fmt.Fprintln(t.notes(), note)
	}
	fmt.Fprint(t.notes(), asCalled(fmt.Sprintf("Next:\n  tare check %[1]s\n  tare render %[1]s\n  tare run %[1]s\n", file)))
	return nil
}
