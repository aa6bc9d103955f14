// The wires: a switch in a namespace of its own, with a leg to the control
// plane, to every node and to this machine.
package main

import (
	"context"
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
	err := commands(strings.NewReplacer("SW", switchNetns, "CP", controlNetns, "LEG", prefix, "HOST", hostAddress, "API", apiAddress).Replace(`
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
		ip -n CP route add default via HOST`))
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
		"CP", controlNetns, "PODS", n.pods(), "FIRST", nodes[0].address(), "SERVICES", serviceNet).Replace(`
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

// rate limits what the switch sends to each node: a token bucket of 256 KiB and
// 20 ms of queue, which holds 10 Gbit/s within half a per cent.
func rate(_ context.Context, _ *lab, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("write lab rate 1gbit, or off")
	}
	for _, n := range nodes {
		line := fmt.Sprintf("tc -n %s qdisc replace dev p-%s root tbf rate %s burst 256kb latency 20ms", switchNetns, n.name, args[0])
		if args[0] == "off" {
			line = fmt.Sprintf("tc -n %s qdisc replace dev p-%s root pfifo limit 1000", switchNetns, n.name)
		}
		if err := commands(line); err != nil {
			return err
		}
	}
	return nil
}

// loss drops packets that a node sends to others, not those to the control
// plane: its failures are another experiment.
func loss(_ context.Context, l *lab, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("write lab loss 0.5 (per cent), or off")
	}
	var share float64
	if args[0] != "off" {
		if _, err := fmt.Sscanf(args[0], "%g", &share); err != nil || share < 0 || share > 100 {
			return fmt.Errorf("loss %q: write per cent from 0 to 100, or off", args[0])
		}
	}
	for _, n := range nodes {
		lines := "iptables -t mangle -F POSTROUTING\n"
		if share > 0 {
			lines += fmt.Sprintf("iptables -t mangle -A POSTROUTING -o eth0 ! -d %s -m statistic --mode random --probability %.6f -j DROP\n", apiAddress, share/100)
		}
		if err := l.inside(n, lines); err != nil {
			return err
		}
	}
	return nil
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
