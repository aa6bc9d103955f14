package main

// The first experiment in a cluster, without a file: `tare demo --kubernetes` runs it, and
// `tare init --kubernetes` writes it.

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/node"
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
}

// clusterSpec is the experiment for what a survey found, and what is left out of it.
func clusterSpec(o clusterFirst, s kubernetes.Survey) ([]byte, clusterFields, error) {
	f := clusterFields{
		Command: o.command, Name: o.name, Server: s.Server, Namespace: s.Namespace, Kubeconfig: quotedOr(o.at.Kubeconfig), Context: quotedOr(o.at.Context),
		Node: s.Node, Image: quote(orMySQL(o.database)), Pool: "256M", Notes: s.Notes, Threads: 4, Rounds: 8, // as many as six comparisons need for a verdict
	}
	if o.node != "" {
		f.Node = o.node
	} else if s.NodeUnknown != "" {
		f.leave(s.NodeUnknown)
	}
	if o.rounds > 0 {
		f.Rounds = o.rounds
	}
	neighbours, err := f.sizes(s, f.loadFrom(o, s))
	if err != nil {
		return nil, f, err
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

// The least and the most that a pod of the demo requests, in thousandths of a CPU. By slices a load pod works only while its
// own server does, so that its weight counts against that server and its neighbour alone.
const (
	leastLoad, mostLoad     node.CPU = 50, 500
	leastServer, mostServer node.CPU = 150, 2000 // least: with neighbours
	leastCPU                node.CPU = 100       // without them
	spareCPU                node.CPU = 100       // for what else comes to the node
	sizeStep                node.CPU = 50
	leastServerMemory                = 768 << 20 // with the small buffer pool: 9.7 uses 550 MiB, and with 512Mi it was killed while it made the data
	memoryStep                       = 128 << 20
)

// sizes are those that fit at once, as slices need it: all servers are up, each with its load pod, and those of class
// BestEffort request nothing. Without enough for the arms beside neighbours these are left out, and false is returned.
func (f *clusterFields) sizes(s kubernetes.Survey, neighbours bool) (bool, error) {
	servers, sized, beside := 4, 2, 0
	if neighbours {
		servers, sized, beside = 7, 4, 3
	}
	if s.NoBestEffort != "" { // then the Service leads to a Burstable pod
		servers, sized = servers-1-min(beside, 1), sized+1
		beside = max(beside-1, 0)
	}
	f.load = max(min(max(s.Free.CPU/20/10*10, leastLoad), mostLoad), s.Least.CPU)
	f.cpu = (s.Free.CPU - node.CPU(servers+beside)*f.load - spareCPU) / node.CPU(sized) / sizeStep * sizeStep
	extra := node.Bytes(servers+beside) * s.Given.Memory
	f.memory = (s.Free.Memory - extra) / node.Bytes(servers) / memoryStep * memoryStep
	f.memory = min(max(f.memory, leastServerMemory, s.Least.Memory), node.Bytes(firstLimit(256<<20)))
	if s.Most.Memory > 0 {
		f.memory = min(f.memory, s.Most.Memory)
	}
	if fits := f.cpu >= max(leastServer, s.Least.CPU) && node.Bytes(sized)*f.memory+extra <= s.Free.Memory; !fits && neighbours {
		f.leave(fmt.Sprintf("The arms beside a busy neighbour are left out: %s of CPU and %s of memory are too little for all arms at once.", millis(s.Free.CPU), manifest.Size(int64(s.Free.Memory>>20<<20))))
		return f.sizes(s, false)
	}
	f.cpu = min(f.cpu, mostServer)
	if s.Most.CPU > 0 {
		f.cpu = min(f.cpu, s.Most.CPU)
	}
	least := max(leastCPU, s.Least.CPU)
	if f.cpu < least || f.memory < leastServerMemory || node.Bytes(sized)*f.memory+extra > s.Free.Memory {
		return false, target.Unavailable{Err: fmt.Errorf("%s of CPU and %s of memory are free, and %d servers at once are too much for that: one needs %s and %s", millis(s.Free.CPU), manifest.Size(int64(s.Free.Memory>>20<<20)), servers, millis(least), manifest.Size(leastServerMemory))}
	}
	if f.memory < node.Bytes(firstLimit(256<<20)) {
		f.Pool = "64M"
	}
	f.neighbour = max(1000, s.Free.CPU/2000*1000)
	return neighbours, nil
}

func millis(c node.CPU) string { return fmt.Sprintf("%dm", c) }

// arms are a pod of every class, and each beside a neighbour that may be.
func (f *clusterFields) arms(s kubernetes.Survey, neighbours bool) {
	cpu, memory := fmt.Sprintf("%dm", f.cpu), manifest.Size(int64(f.memory))
	classes := []clusterArm{
		{"besteffort", "qos: BestEffort", "No requests and no limits."},
		{"burstable", fmt.Sprintf("qos: Burstable, cpuRequest: %s, memoryRequest: %s", cpu, memory), "Requests alone."},
		{"guaranteed", fmt.Sprintf("qos: Guaranteed, cpu: %s, memory: %s", cpu, memory), "Requests equal to limits: a CPU quota."},
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

// surveyed is the experiment for the cluster. A cluster that was not reached is assumed if that is
// asked for; the error is then the reason, beside the experiment.
func surveyed(ctx context.Context, o clusterFirst, assume bool) (*experiment.Experiment, clusterFields, error) {
	s, why := kubernetes.Look(ctx, o.at, o.clientImage)
	if why != nil && !assume {
		if !errors.As(why, &target.Unavailable{}) {
			why = usage{why}
		}
		return nil, clusterFields{}, why
	}
	if why != nil {
		s = kubernetes.Assume(o.at)
	}
	text, f, err := clusterSpec(o, s)
	if err != nil {
		return nil, f, err
	}
	e, err := experiment.ParseIn(".", o.name+".yaml", text)
	if err != nil {
		return nil, f, err
	}
	return e, f, why
}

// dryRun prints the objects of the demo.
func dryRun(ctx context.Context, t *terminal, o clusterFirst) error {
	e, f, why := surveyed(ctx, o, true)
	if e == nil {
		return why
	}
	for _, note := range f.Notes {
		fmt.Fprintln(t.err, note)
	}
	text, err := renderArms(e, "")
	if err != nil {
		return err
	}
	fmt.Fprint(t.out, text)
	if why != nil {
		return fmt.Errorf("the cluster was not asked, and the objects above are for an assumed one: %w", why)
	}
	return nil
}

// demoInCluster says what it will do, asks once, and runs.
func demoInCluster(ctx context.Context, t *terminal, o clusterFirst, run runOptions, yes bool) error {
	e, f, err := surveyed(ctx, o, false)
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
	fmt.Fprintf(t.err, "tare will measure MySQL in pods (image %s) in %s:\n%s", f.Image, where, outline(job, source))
	for _, arm := range f.Arms {
		fmt.Fprintf(t.err, "  arm %s {%s}: %s\n", arm.Name, arm.Settings, arm.Why)
	}
	for _, note := range f.Notes {
		fmt.Fprintf(t.err, "  %s\n", note)
	}
	fmt.Fprintln(t.err, "  Everything that it makes there is removed at the end, also after Ctrl-C. The objects: tare demo --kubernetes --dry-run")
	if !yes {
		if err := agreed(t); err != nil {
			return err
		}
	}
	if err := startRun(ctx, t, e, run); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "next: tare init --kubernetes writes this experiment as a file; manifests: in it measures a database of yours (docs/kubernetes.md, Your own manifests)\n")
	return nil
}

// agreed asks once.
func agreed(t *terminal) error {
	fmt.Fprint(t.err, "Run it? [y/N] ")
	line, err := bufio.NewReader(t.in).ReadString('\n')
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case answer == "y" || answer == "yes":
		return nil
	case err != nil && answer == "":
		return usage{errors.New("demo: there was no answer; run it without a question with --yes")}
	}
	return usage{errors.New("demo: not run")}
}

// writeForCluster writes the experiment as a file. Without a cluster there is nothing to write it for.
func writeForCluster(ctx context.Context, t *terminal, file string, o clusterFirst, force bool) error {
	e, f, err := surveyed(ctx, o, false)
	if err != nil {
		return err
	}
	if err := writeSpec(file, e.Source, force); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s written for namespace %s of %s.\n", file, f.Namespace, f.Server)
	for _, note := range f.Notes {
		fmt.Fprintln(t.out, note)
	}
	fmt.Fprint(t.out, asCalled(fmt.Sprintf("Next:\n  tare check %[1]s\n  tare render %[1]s\n  tare run %[1]s\n", file)))
	return nil
}
