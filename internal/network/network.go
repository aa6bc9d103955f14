// Package network builds the network of a Kubernetes node in separate network namespaces:
// pods by CNI plugins, Service rules, and further nodes behind links.
//
// Nothing of it touches the host's own namespace: its links, routes, rules and
// sysctls stay as they are, and all that is made here ends with the namespaces,
// whose names (tare-INSTANCE.pod) a sweep finds.
package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
)

// The namespaces of an instance. Each is a file in /run/netns.
const (
	node      = "node"       // the server's node
	pod       = "pod"        // the server's pod
	client    = "client"     // the client's pod, on whichever node
	otherNode = "other-node" // the node on the other end of the link
)

// Network is what an instance has of a node's network.
type Network struct {
	settings Settings
	instance string
	dir      string // of the plugins' state, below the instance directory
	// server is the address that the client is to use.
	server string
	// endpoint is the server's own address where server is a Service's.
	endpoint string
	// members are the addresses that the members have for each other, the server's first.
	members []string
	helper  []string
	helpers []*helper
}

// Env is what a network needs of its surroundings.
type Env struct {
	// Instance is the instance's name, Dir a directory of its own for state.
	Instance, Dir string
	// Helper is the command line that ends in RunDelay or RunRelay, by the word
	// that is added to it: packets that go through user space go through processes.
	Helper []string
}

// Port is the server's, as everywhere.
const Port = 3306

// Build makes the network. When it returns an error, or ctx ends, Remove takes
// down what there is.
func Build(ctx context.Context, s Settings, env Env) (*Network, error) {
	n := &Network{settings: s.Defaulted(), instance: env.Instance, dir: env.Dir, helper: env.Helper}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return n, record.BuildNetwork.Wrap(err)
	}
	for _, step := range []func(context.Context) error{
		n.makeNamespaces, n.makeLink, n.shapeLink, n.addPods, n.connectNodes, n.addService, n.addDNS,
	} {
		if err := ctx.Err(); err != nil {
			return n, record.BuildNetwork.Wrap(err)
		}
		if err := step(ctx); err != nil {
			return n, record.BuildNetwork.Wrap(err)
		}
	}
	return n, nil
}

// makeNamespaces makes the namespaces that the settings need.
func (n *Network) makeNamespaces(context.Context) error {
	for _, name := range n.namespaces() {
		if err := makeNamespace(n.path(name)); err != nil {
			return err
		}
	}
	return nil
}

func (n *Network) namespaces() []string {
	var all []string
	for _, e := range n.settings.ends() {
		all = append(all, e.name)
		if n.settings.podNetwork() {
			all = append(all, e.pod)
		}
	}
	if n.settings.podNetwork() && n.settings.Client == OtherPod {
		all = append(all, client)
	}
	if n.settings.switched() {
		all = append(all, switchName)
	}
	return all
}

// clientPod says whether the client has a pod of its own.
func (n *Network) clientPod() bool {
	c := n.settings.Client
	return n.settings.podNetwork() && (c == OtherPod || c == OtherNode)
}

// path is the file of a namespace.
func (n *Network) path(name string) string {
	return filepath.Join(namespaceDir, "tare-"+n.instance+"."+name)
}

// ServerNamespace is the network namespace that the server is to run in.
func (n *Network) ServerNamespace() string {
	if n.settings.podNetwork() {
		return n.path(pod)
	}
	return n.path(node)
}

// MemberNamespace is the network namespace that a member, from 1, is to run in.
func (n *Network) MemberNamespace(number int) string {
	if number == 1 {
		return n.ServerNamespace()
	}
	if n.settings.podNetwork() {
		return n.path(fmt.Sprintf("%s-%d", pod, number))
	}
	return n.path(fmt.Sprintf("%s-%d", node, number))
}

// Members are the addresses that the members have for each other, the server's first;
// nil without members.
func (n *Network) Members() []string { return n.members }

// ClientNamespace is where the client's connections are to be made.
func (n *Network) ClientNamespace() string {
	switch {
	case n.clientPod():
		return n.path(client)
	case n.settings.Client == OtherNode:
		return n.path(otherNode)
	case n.settings.Client == SamePod:
		return n.ServerNamespace()
	}
	return n.path(node)
}

// Server is the host part of the address that the client is to use.
func (n *Network) Server() string { return n.server }

// OverTCP says whether the client comes over the network at all; where there is
// none, it does not.
func (n *Network) OverTCP() bool { return n != nil && n.settings.Client != Socket }

// InsideClient calls f on a thread that is where the client is: here, unless it
// comes over the network.
func (n *Network) InsideClient(f func() error) error {
	if !n.OverTCP() {
		return f()
	}
	return Inside(n.ClientNamespace(), f)
}

// Remove ends the helpers and takes the namespaces away, and with them all that
// is in them. It can be repeated; where there is none there is nothing to do.
func (n *Network) Remove() error {
	if n == nil {
		return nil
	}
	var errs []error
	for _, h := range n.helpers {
		h.stop()
	}
	n.helpers = nil
	for _, name := range n.namespaces() {
		errs = append(errs, removeNamespace(n.path(name)))
	}
	errs = append(errs, remove.Tree(filepath.Dir(n.dir), n.dir))
	return errors.Join(errs...)
}
