package network

import (
	"context"
	"fmt"

	"github.com/safchain/ethtool"

	"github.com/tarebench/tare/internal/record"
)

// queueNumber is the queue that delayed packets wait in.
const queueNumber = 1

// shapeLink makes the links between the nodes what the settings say, at all ends: each limits
// the rate of what it sends, and so does a switch; each loses and delays what it receives.
func (n *Network) shapeLink(ctx context.Context) error {
	if !n.settings.linked() {
		return nil
	}
	if err := n.limitPorts(ctx); err != nil {
		return fmt.Errorf("shape link: %w", err)
	}
	for _, name := range n.nodes() {
		for _, step := range []func(context.Context, string) error{n.limitRate, n.loseAndDelay, n.dropICMP, n.setOffload} {
			if err := step(ctx, name); err != nil {
				return fmt.Errorf("shape link: %w", err)
			}
		}
	}
	return nil
}

// loseAndDelay drops received packets at random, and sends those that are left through a
// queue to a process that holds each for the delay. netem would do both, and is
// missing in many kernels (containers' hosts, clouds' own). What is lost is a
// packet as the stack hands it to the link, with offload up to 64 KiB.
//
// The receiver does it (PREROUTING). At the sender (POSTROUTING) a socket of the node itself is
// told of the drop: the send fails with EPERM (nf_hook_slow in net/netfilter/core.c), TCP keeps
// the packet for later, counts no retransmission and reduces no window (tcp_write_xmit in
// net/ipv4/tcp_output.c). A packet that waits there still counts as unsent, so TCP sends no more
// than a few at a time (tcp_small_queue_check). ip_rcv_core takes it from its socket before
// PREROUTING.
func (n *Network) loseAndDelay(ctx context.Context, name string) error {
	s := n.settings
	if s.Loss == 0 && s.Delay == 0 {
		return nil
	}
	rules := "*mangle\n"
	if s.Loss > 0 {
		rules += fmt.Sprintf("-A PREROUTING -i %s -m statistic --mode random --probability %.8f -j DROP\n", uplink, float64(s.Loss))
	}
	if s.Delay > 0 {
		if err := n.startHelper(ctx, name, "delay", "--queue", fmt.Sprint(queueNumber), "--delay", s.Delay.String()); err != nil {
			return err
		}
		rules += fmt.Sprintf("-A PREROUTING -i %s -j NFQUEUE --queue-num %d\n", uplink, queueNumber)
	}
	if _, err := n.command(ctx, name, rules+"COMMIT\n", "iptables-restore", "--noflush"); err != nil {
		return fmt.Errorf("write rules for loss and delay: %w", err)
	}
	return nil
}

// dropICMP keeps a node from sending or passing on any ICMP: what does not fit is
// then lost without a word (RFC 2923, section 2.1, "black hole detection").
func (n *Network) dropICMP(ctx context.Context, name string) error {
	if !n.settings.silent() {
		return nil
	}
	rules := "*mangle\n-A OUTPUT -p icmp -j DROP\n-A FORWARD -p icmp -j DROP\nCOMMIT\n"
	if _, err := n.command(ctx, name, rules, "iptables-restore", "--noflush"); err != nil {
		return fmt.Errorf("write rules against ICMP: %w", err)
	}
	return nil
}

// offloads are what makes a link take packets larger than its MTU, for the
// hardware to cut: a veth pair passes them on whole.
func offloads() []string {
	return []string{"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-tcp-ecn-segmentation", "tx-generic-segmentation"}
}

func (n *Network) setOffload(_ context.Context, name string) error {
	if n.settings.Offload == nil || *n.settings.Offload {
		return nil
	}
	return Inside(n.path(name), func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return fmt.Errorf("open ethtool: %w", err)
		}
		defer e.Close()
		off := map[string]bool{}
		for _, feature := range offloads() {
			off[feature] = false
		}
		if err := e.Change(uplink, off); err != nil {
			return fmt.Errorf("switch segmentation offload off: %w", err)
		}
		return nil
	})
}

// linkFacts read back what shapes a node's link.
func (n *Network) linkFacts(ctx context.Context, name string) []record.Fact {
	if !n.settings.linked() {
		return nil
	}
	key := "network." + name + ".link." + uplink
	offload := record.Fact{Key: key + ".offload", Source: "ethtool " + uplink}
	err := Inside(n.path(name), func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		features, err := e.Features(uplink)
		offload.Value = fmt.Sprint("tcp ", features["tx-tcp-segmentation"], ", generic ", features["tx-generic-segmentation"])
		return err
	})
	if err != nil {
		offload.Value, offload.Unknown = "", err.Error()
	}
	facts := []record.Fact{offload}
	if n.settings.Loss > 0 || n.settings.Delay > 0 {
		rules := record.Fact{Key: key + ".rules", Source: "iptables -t mangle -S PREROUTING"}
		text, err := n.command(ctx, name, "", "iptables", "-w", "-t", "mangle", "-S", "PREROUTING")
		if rules.Value = oneLine(text); err != nil {
			rules.Unknown = err.Error()
		}
		facts = append(facts, rules, record.Fact{Key: key + ".delay", Value: n.settings.Delay.String(), Source: "experiment.yaml"})
	}
	return append(facts, record.Fact{Key: "network." + name + ".icmp", Value: fmt.Sprint(!n.settings.silent()), Source: "experiment.yaml"})
}
