// The lab as a whole: where things are, what is called what, and the order in
// which they come up.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// Names and addresses. Everything on the machine that has a name of its own
// begins with prefix.
const (
	prefix      = "tarelab"
	hostAddress = "10.200.0.1"
	apiAddress  = "10.200.0.10"
	podNetwork  = "10.245.0.0/16"
	serviceNet  = "10.97.0.0/16"
	apiService  = "10.97.0.1"
	dnsService  = "10.97.0.10"
	pauseImage  = "localhost/pause:1"
	dnsImage    = "localhost/coredns:1"
	mysqlImage  = "localhost/mysql:1"
	etcdDir     = "/dev/shm/" + prefix + "-etcd"
)

// nodes are numbered from 1. The third has exclusive CPUs for pods that ask for
// whole ones.
var nodes = []node{{name: "n1", number: 1}, {name: "n2", number: 2}, {name: "n3", number: 3, exclusive: true}}

type node struct {
	name      string
	number    int
	exclusive bool // has the policy of -cpu-manager-policy
}

func (n node) address() string { return fmt.Sprintf("10.200.0.%d", 10+n.number) }
func (n node) pods() string    { return fmt.Sprintf("10.245.%d.0/24", n.number) }
func (n node) netns() string   { return prefix + "-" + n.name }

func findNode(name string) (node, error) {
	i := slices.IndexFunc(nodes, func(n node) bool { return n.name == name })
	if i < 0 {
		return node{}, fmt.Errorf("there is no node %q; there are n1, n2 and n3", name)
	}
	return nodes[i], nil
}

// lab is one lab: a directory.
type lab struct {
	dir               string // .cache/lab
	cni, proxy, mysql string
	cpuPolicy         string // the CPU manager policy of n3; the other nodes have none
	begun             time.Time
}

// open finds the lab's directory from the program's: DIR/bin/lab.
func open() (*lab, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the lab's directory: %w", err)
	}
	return &lab{dir: filepath.Dir(filepath.Dir(self)), begun: time.Now()}, nil
}

func (l *lab) path(elements ...string) string {
	return filepath.Join(append([]string{l.dir}, elements...)...)
}

// in is a directory of a node.
func (l *lab) in(n node, elements ...string) string {
	return l.path(append([]string{"run", n.name}, elements...)...)
}

func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%5.1f s  %s\n", time.Since(l.begun).Seconds(), fmt.Sprintf(format, args...))
}

// up takes down what there is and starts everything. When it fails, what came
// up stays for a look at it; the next up or down removes it.
func (l *lab) up(ctx context.Context) error {
	chosen, ok := plugins[l.cni]
	if !ok {
		return fmt.Errorf("-cni %q: write one of %s", l.cni, strings.Join(sortedKeys(plugins), ", "))
	}
	if l.cpuPolicy != "static" && l.cpuPolicy != "none" {
		return fmt.Errorf("-cpu-manager-policy %q: write static or none", l.cpuPolicy)
	}
	if l.proxy != "nftables" && l.proxy != "iptables" {
		return fmt.Errorf("-proxy %q: write nftables or iptables", l.proxy)
	}
	if err := errors.Join(preflight(), l.checkFlannel(chosen.backend)); err != nil {
		return err
	}
	if err := l.down(); err != nil {
		return err
	}
	for _, step := range []struct {
		done string
		do   func(context.Context) error
	}{
		{"images are in the store", l.fillStore},
		{"network laid", func(context.Context) error { return l.layNetwork() }},
		{"keys and certificates made", func(context.Context) error { return l.makePKI() }},
		{"control plane answers", l.startControlPlane},
		{"nodes started", l.startNodes},
		{"add-ons applied", l.applyAddons},
		{"nodes and name service are ready", l.waitReady},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%w; logs are in %s", err, l.path("run", "logs"))
		}
		l.say("%s", step.done)
	}
	l.say("export KUBECONFIG=%s", l.kubeconfig("admin"))
	return nil
}

// kubectl runs kubectl as the administrator.
func (l *lab) kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, l.path("bin", "kubectl"), append([]string{"--kubeconfig", l.kubeconfig("admin")}, args...)...)
	c.Stdin = strings.NewReader(stdin)
	return output(c)
}

// output runs a command; its error says what it printed.
func output(c *exec.Cmd) (string, error) {
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", strings.Join(c.Args, " "), err)
	}
	return string(out), nil
}

// commands runs one command a line, words apart by blanks.
func commands(lines string) error {
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if _, err := output(exec.Command(words[0], words[1:]...)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) each(names []string, do func(node) error) error {
	if len(names) == 0 {
		return errors.New("say which node: n1, n2 or n3")
	}
	for _, name := range names {
		n, err := findNode(name)
		if err == nil {
			err = do(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
