// The wires: a switch in a namespace of its own, with a leg to the control
// plane, to every node and to this machine.
package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// Namespaces beside those of the nodes.
const (
	switchNetns  = prefix + "-sw"
	controlNetns = prefix + "-cp"
)

// layNetwork makes the switch and the legs. This machine gets an address on the
// switch and routes to pods and services through the first node, so that tests
// reach both.
func (l *lab) layNetwork() error {
	err := commands(strings.NewReplacer("SW", switchNetns, "CP", controlNetns, "BALANCER", balancerNetns, "FRONT", (&balancer{}).address(), "LEG", prefix, "HOST", hostAddress, "API", apiAddress).Replace(`
		ip netns add SW
		ip -n SW link set lo up
		ip -n SW link add br0 type bridge
		ip -n SW link set br0 up
		ip -n SW link add br1 type bridge
		ip -n SW link set br1 up
		ip link add LEG type veth peer name p-host netns SW
		ip -n SW link set p-host master br0 up
		ip addr add HOST/24 dev LEG
		ip link set LEG up
		ip netns add CP
		ip -n CP link set lo up
		ip -n CP link add eth0 type veth peer name p-cp netns SW
		ip -n SW link set p-cp master br0 up
		ip -n CP addr add API/24 dev eth0
		ip -n CP link set eth0 up
		ip -n CP route add default via HOST
		ip netns add BALANCER
		ip -n BALANCER link set lo up
		ip -n BALANCER link add eth0 type veth peer name p-lb netns SW
		ip -n SW link set p-lb master br0 up
		ip -n BALANCER addr add FRONT/24 dev eth0
		ip -n BALANCER link set eth0 up`))
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := plug(n); err != nil {
			return err
		}
	}
	return nil
}

// plug gives a node its namespace: eth0 on the first switch, eth1 without an
// address on the second.
func plug(n node) error {
	return commands(strings.NewReplacer("NODE", n.netns(), "SW", switchNetns, "NAME", n.name, "ADDRESS", n.address(), "HOST", hostAddress,
		"CP", controlNetns, "BALANCER", balancerNetns, "PODS", n.pods(), "FIRST", nodes[0].address(), "SERVICES", serviceNet).Replace(`
		ip netns add NODE
		ip -n NODE link set lo up
		ip -n NODE link add eth0 type veth peer name p-NAME netns SW
		ip -n NODE addr add ADDRESS/24 dev eth0
		ip -n NODE link set eth0 up
		ip -n NODE route add default via HOST
		ip -n NODE link add eth1 type veth peer name q-NAME netns SW
		ip -n NODE link set eth1 up
		ip -n SW link set p-NAME master br0 up
		ip -n SW link set q-NAME master br1 up
		ip netns exec NODE sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
		ip -n CP route replace PODS via ADDRESS
		ip -n BALANCER route replace PODS via ADDRESS
		ip route replace PODS via ADDRESS
		ip route replace SERVICES via FIRST
		ip -n CP route replace SERVICES via FIRST`))
}

// unplug removes a node's namespace and the cables. Those would go with the
// namespace, but some time later (cleanup_net), and their names are needed.
func unplug(n node) error {
	return commands(strings.NewReplacer("NODE", n.netns(), "SW", switchNetns, "NAME", n.name).Replace(`
		ip -n SW link del p-NAME
		ip -n SW link del q-NAME
		ip netns del NODE`))
}

// cable sets the node's leg up or down at the switch.
func (l *lab) cable(state string) func(node) error {
	return func(n node) error {
		return commands(fmt.Sprintf("ip -n %s link set p-%s %s", switchNetns, n.name, state))
	}
}

// inside runs one command a line in the node's namespaces.
func (l *lab) inside(n node, lines string) error {
	enter, err := l.enter(n)
	if err != nil {
		return err
	}
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 0 {
			if _, err := output(exec.Command(enter[0], append(enter[1:], words...)...)); err != nil {
				return err
			}
		}
	}
	return nil
}
