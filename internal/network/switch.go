package network

// The switch of three nodes and more: a bridge in a namespace of its own, with a port for
// every node.

import (
	"context"
	"fmt"

	"github.com/vishvananda/netlink"
)

// switchName is the switch's namespace, bridgeLink the bridge in it.
const (
	switchName = "switch"
	bridgeLink = "br0"
)

// switched says whether the nodes are on a switch.
func (s Settings) switched() bool { return len(s.ends()) > 2 }

// portOf is the port that a node is plugged into.
func portOf(e end) string { return "to-" + e.name }

// makeSwitch makes the bridge and plugs every node in. A bridge forwards from its first
// moment: the spanning tree protocol, which would wait, is off (Documentation/networking/bridge.rst).
func (n *Network) makeSwitch(ends []end) error {
	h, err := n.handle(switchName)
	if err != nil {
		return err
	}
	defer h.Close()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = bridgeLink, n.settings.linkMTU()
	bridge := &netlink.Bridge{LinkAttrs: attrs}
	if err := h.LinkAdd(bridge); err != nil {
		return fmt.Errorf("make bridge (CONFIG_BRIDGE): %w", err)
	}
	if err := h.LinkSetUp(bridge); err != nil {
		return fmt.Errorf("bring bridge up: %w", err)
	}
	for _, e := range ends {
		if err := n.plugIn(h, bridge, e); err != nil {
			return fmt.Errorf("plug %s into the switch: %w", e.name, err)
		}
	}
	return nil
}

func (n *Network) plugIn(h *netlink.Handle, bridge *netlink.Bridge, e end) error {
	if err := n.addPair(h, portOf(e), e.name); err != nil {
		return err
	}
	port, err := h.LinkByName(portOf(e))
	if err != nil {
		return err
	}
	if err := h.LinkSetMaster(port, bridge); err != nil {
		return err
	}
	return h.LinkSetUp(port)
}

// limitPorts has the switch send to every node at the link's rate: of two nodes that send
// to one, each has the rate, and the one cannot receive twice as much.
func (n *Network) limitPorts(ctx context.Context) error {
	if !n.settings.switched() {
		return nil
	}
	for _, e := range n.settings.ends() {
		if err := n.limitLink(ctx, switchName, portOf(e)); err != nil {
			return err
		}
	}
	return nil
}
