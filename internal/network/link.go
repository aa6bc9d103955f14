package network

import (
	"context"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Addresses, in namespaces that nothing outside reaches: those that kubeadm's
// documentation and Flannel's defaults have made usual.
const (
	nodeAddress  = "10.200.0.1"
	otherAddress = "10.200.0.2"
	nodeNet      = "/24"
	podNet       = "10.244.0.0/24" // of the server's node
	podGateway   = "10.244.0.1"
	otherPodNet  = "10.244.1.0/24"
	clusterNet   = "10.244.0.0/16" // of all pods
	uplink       = "eth0"          // a node's link
)

// end is one end of the link between the nodes: its namespace, the node's
// address, that of a tunnel over the link, and the node's pods.
type end struct{ name, address, tunnel, pods string }

// ends are both; a tunnel has the first address of its node's pods.
func ends() [2]end {
	return [2]end{
		{node, nodeAddress, "10.244.0.0", podNet}, {otherNode, otherAddress, "10.244.1.0", otherPodNet},
	}
}

// makeLink gives the nodes their addresses, and the link between them if there
// are two.
func (n *Network) makeLink(context.Context) error {
	if n.settings.Client != OtherNode {
		return n.makeLonely()
	}
	if err := n.makeWire(); err != nil {
		return fmt.Errorf("make link between nodes: %w", err)
	}
	for i, e := range ends() {
		h, err := n.handle(e.name)
		if err != nil {
			return err
		}
		err = configure(h, uplink, e.address+nodeNet, ends()[1-i].address)
		h.Close()
		if err != nil {
			return fmt.Errorf("make link between nodes: %w", err)
		}
	}
	return nil
}

// makeWire makes the pair of links with an end in each node.
func (n *Network) makeWire() error {
	other, err := netns.GetFromPath(n.path(otherNode))
	if err != nil {
		return err
	}
	defer func() { _ = other.Close() }() // it was only read
	h, err := n.handle(node)
	if err != nil {
		return err
	}
	defer h.Close()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = uplink, n.settings.linkMTU()
	return h.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: uplink, PeerNamespace: netlink.NsFd(other), PeerMTU: uint32(attrs.MTU)})
}

// configure gives a link its address, brings it up, and sends everything
// without a better route to the gateway.
func configure(h *netlink.Handle, name, address, gateway string) error {
	link, err := raise(h, name, address)
	if err != nil {
		return err
	}
	err = h.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: net.ParseIP(gateway)})
	if err != nil {
		return fmt.Errorf("route by %s: %w", gateway, err)
	}
	return nil
}

// raise gives a link its address, with the length of its network, and brings it up.
func raise(h *netlink.Handle, name, address string) (netlink.Link, error) {
	link, err := h.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("find link %s: %w", name, err)
	}
	a, err := netlink.ParseAddr(address)
	if err != nil {
		return nil, fmt.Errorf("read address %s: %w", address, err)
	}
	if err := h.AddrAdd(link, a); err != nil {
		return nil, fmt.Errorf("give %s to link %s: %w", address, name, err)
	}
	if err := h.LinkSetUp(link); err != nil {
		return nil, fmt.Errorf("bring link %s up: %w", name, err)
	}
	return link, nil
}

// makeLonely gives a node without a link its address, on its loopback, and the
// default route that a node has: to Service addresses, for one.
func (n *Network) makeLonely() error {
	h, err := n.handle(node)
	if err != nil {
		return err
	}
	defer h.Close()
	lo, err := raise(h, "lo", nodeAddress+"/32")
	if err != nil {
		return fmt.Errorf("give the node its address: %w", err)
	}
	err = h.RouteAdd(&netlink.Route{LinkIndex: lo.Attrs().Index, Dst: defaultNet(), Src: net.ParseIP(nodeAddress), Scope: unix.RT_SCOPE_LINK})
	if err != nil {
		return fmt.Errorf("give the node a default route: %w", err)
	}
	return nil
}

func defaultNet() *net.IPNet { return &net.IPNet{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)} }
