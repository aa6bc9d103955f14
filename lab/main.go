// Command lab is a real Kubernetes on one machine, for tests: one control plane
// and three nodes, each in namespaces of its own, without Docker and without a
// container registry.
//
// A node is one process tree with its own network, mounts, process numbers and
// host name, so every agent runs on its default paths and unmodified. `lab up`
// is idempotent in that it takes down what it finds first; what it makes carries
// the name tarelab, by which `lab down` finds it without any bookkeeping.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// verbs of the command line.
var verbs = []struct {
	name, help string
	run        func(context.Context, *lab, []string) error
}{
	{"up", "start the lab; -cni bridge, ptp or flannel-vxlan, flannel-host-gw, flannel-udp; -proxy nftables or iptables", up},
	{"down", "end the lab and remove everything it left, of a killed one too", func(_ context.Context, l *lab, _ []string) error { return l.down() }},
	{"status", "say what runs; exit status 1 when the lab does not", func(_ context.Context, l *lab, _ []string) error { return l.status(os.Stdout) }},
	{"load", "NAME DIRECTORY COMMAND [ARG...]: make an image from a root file system and give it to every node", load},
	{"off", "NODE: cut a node's power", func(_ context.Context, l *lab, a []string) error { return l.each(a, l.powerOff) }},
	{"on", "NODE: start a node again", func(_ context.Context, l *lab, a []string) error { return l.each(a, l.powerOn) }},
	{"cut", "NODE: pull a node's network cable", func(_ context.Context, l *lab, a []string) error { return l.each(a, l.cable("down")) }},
	{"connect", "NODE: reconnect its network cable", func(_ context.Context, l *lab, a []string) error { return l.each(a, l.cable("up")) }},
	{"rate", "RATE|off: limit every node's link, in tc's units: 1gbit", rate},
	{"loss", "PERCENT|off: lose packets that nodes send", loss},
	{"latency", "TIME|off: hold what nodes send to each other for a time: 250us", latency},
	{"iperf", "NODE NODE [net1] [ARG...]: throughput from a pod of the first to a pod of the second, by iperf3", iperf},
	{"restart", "kube-apiserver, or kubelet NODE: kill an agent; it starts again", restart},
	{"exec", "NODE COMMAND [ARG...]: run a command inside a node", execute},
	{"balance", "", func(ctx context.Context, l *lab, _ []string) error { return l.balance(ctx) }},
	{"volumes", "", func(ctx context.Context, l *lab, _ []string) error { return l.recycle(ctx) }},
	{"node", "", func(_ context.Context, l *lab, a []string) error { return l.boot(a[0]) }},
}

func main() {
	if filepath.Base(os.Args[0]) == secondPlugin {
		os.Exit(asPlugin()) //nolint:forbidigo // this is main
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do:\n" + usage())
	}
	l, err := open()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, v := range verbs {
		if v.name == args[0] {
			return v.run(ctx, l, args[1:])
		}
	}
	return fmt.Errorf("there is no %q:\n%s", args[0], usage())
}

func usage() string {
	var b strings.Builder
	for _, v := range verbs {
		if v.help != "" {
			fmt.Fprintf(&b, "  lab %-7s %s\n", v.name, v.help)
		}
	}
	return b.String()
}

func up(ctx context.Context, l *lab, args []string) error {
	set := flag.NewFlagSet("up", flag.ContinueOnError)
	set.StringVar(&l.cni, "cni", "bridge", "network plugin: "+strings.Join(sortedKeys(plugins), ", "))
	set.StringVar(&l.proxy, "proxy", "nftables", "mode of kube-proxy: nftables or iptables")
	set.StringVar(&l.mysql, "mysql", "", "root file system with a MySQL server, for the image "+mysqlImage)
	set.StringVar(&l.cpuPolicy, "cpu-manager-policy", "static", "CPU manager policy of n3: static or none; with none all nodes are equal")
	if err := set.Parse(args); err != nil {
		return err
	}
	return l.up(ctx)
}
