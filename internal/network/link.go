package network

import (
	"context"
	"fmt"
	"net"
	"slices"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Addresses, in namespaces that nothing outside reaches: those that kubeadm's
// documentation and Flannel's defaults have made usual.
const (
	nodeAddress = "10.200.0.1"
	nodeNet     = "/24"
	clusterNet  = "10.244.0.0/16" // of all pods
	uplink      = "eth0"          // a node's link
)

// end is a node on the link: its namespace, its address, that of a tunnel over the link,
// and the network of its pods, of which one has the namespace pod.
type end struct{ name, address, tunnel, pods, pod string }

// newEnd is the node of that number, from 0; a tunnel has the first address of its node's
// pods.
func newEnd(name, pod string, number int) end {
	return end{
		name: name, pod: pod, address: fmt.Sprintf("10.200.0.%d", number+1),
		tunnel: fmt.Sprintf("10.244.%d.0", number), pods: fmt.Sprintf("10.244.%d.0/24", number),
	}
}

// ends are all nodes: the server's, the client's where that is another, and those of the
// further members. The client's node has its number whether it is there or not, so that
// a node has the same addresses in every arm.
func (s Settings) ends() []end {
	all := []end{newEnd(node, pod, 0)}
	if s.Client == OtherNode {
		all = append(all, newEnd(otherNode, client, 1))
	}
	for m := 2; m <= s.Members; m++ {
		all = append(all, newEnd(fmt.Sprintf("%s-%d", node, m), fmt.Sprintf("%s-%d", pod, m), m))
	}
	return all
}

// peers are the other nodes.
func (s Settings) peers(of end) []end {
	return slices.DeleteFunc(s.ends(), func(e end) bool { return e == of })
}

// linked says whether there is more than one node.
func (s Settings) linked() bool { return len(s.ends()) > 1 }

// makeLink gives the nodes their addresses, and what links them: two a cable, more a
// switch.
func (n *Network) makeLink(context.Context) error {
	ends := n.settings.ends()
	var err error
	switch len(ends) {
	case 1:
		return n.makeLonely()
	case 2:
		err = n.makeWire(ends[0], ends[1])
	default:
		err = n.makeSwitch(ends)
	}
	if err != nil {
		return fmt.Errorf("make link between nodes: %w", err)
	}
	for i, e := range ends {
		h, err := n.handle(e.name)
		if err != nil {
			return err
		}
		err = configure(h, uplink, e.address+nodeNet, ends[(i+1)%len(ends)].address)
		h.Close()
		if err != nil {
			return fmt.Errorf("make link between nodes: %w", err)
		}
	}
	return nil
}

// makeWire makes the pair of links with an end in each of two nodes.
func (n *Network) makeWire(a, b end) error {
	h, err := n.handle(a.name)
	if err != nil {
		return err
	}
	defer h.Close()
	return n.addPair(h, uplink, b.name)
}

// addPair makes a pair of links: one of this name where h is, and the uplink of a node.
func (n *Network) addPair(h *netlink.Handle, name, to string) error {
	ns, err := netns.GetFromPath(n.path(to))
	if err != nil {
		return err
	}
	defer func() { _ = ns.Close() }() // it was only read
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = name, n.settings.linkMTU()
	return h.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: uplink, PeerNamespace: netlink.NsFd(ns), PeerMTU: uint32(attrs.MTU)})
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
