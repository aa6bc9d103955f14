package network

import (
	"context"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The numbers, ports and links of the overlays: Flannel's (backend/vxlan,
// backend/udp, backend/ipip), for Geneve the port of RFC 8926, section 3.3, and
// Cilium's link.
const (
	vxlanID    = 1
	vxlanPort  = 8472
	relayPort  = 8285
	geneveID   = 1
	genevePort = 6081
	vxlanLink  = "flannel.1"
	relayLink  = "flannel0"
	ipipLink   = "flannel.ipip"
	geneveLink = "cilium_geneve"
)

// tunnel is a kind of link that wraps the pods' packets.
type tunnel struct {
	name string
	// option is what the kernel must have been built with.
	option string
	// each: a link has one peer, so that a node has one for each of the others.
	each bool
	// link is the end on a node, over its link of that index.
	link func(self, peer end, attrs netlink.LinkAttrs, wire int) netlink.Link
}

// tunnelByVXLAN puts the pods' frames into UDP packets between the nodes, in the
// kernel, as Flannel does.
func (n *Network) tunnelByVXLAN(context.Context) error {
	return n.wrapFrames(tunnel{vxlanLink, "CONFIG_VXLAN", false, func(self, _ end, attrs netlink.LinkAttrs, wire int) netlink.Link {
		return &netlink.Vxlan{LinkAttrs: attrs, VxlanId: vxlanID, Port: vxlanPort, SrcAddr: net.ParseIP(self.address), VtepDevIndex: wire}
	}})
}

// tunnelByGeneve does so in Geneve's format, as Cilium and OVN can.
func (n *Network) tunnelByGeneve(context.Context) error {
	return n.wrapFrames(tunnel{geneveLink, "CONFIG_GENEVE", true, func(_, peer end, attrs netlink.LinkAttrs, _ int) netlink.Link {
		return &netlink.Geneve{LinkAttrs: attrs, ID: geneveID, Remote: net.ParseIP(peer.address), Dport: genevePort}
	}})
}

// tunnelByIPIP puts the pods' packets into IP packets: the gateway of a route is
// the address that they go to.
func (n *Network) tunnelByIPIP(context.Context) error {
	kind := tunnel{ipipLink, "CONFIG_NET_IPIP", false, func(self, _ end, attrs netlink.LinkAttrs, wire int) netlink.Link {
		return &netlink.Iptun{LinkAttrs: attrs, Local: net.ParseIP(self.address), Link: uint32(wire), PMtuDisc: 1}
	}}
	for _, e := range n.settings.ends() {
		peers := n.settings.peers(e)
		if _, err := n.addTunnel(kind, e, peers[0]); err != nil {
			return err
		}
		for _, peer := range peers {
			if err := n.route(e.name, kind.name, peer.pods, peer.address, int(netlink.FLAG_ONLINK)); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrapFrames makes a tunnel of links that have addresses of their own. The other
// nodes' link addresses and places stand in the tables, nothing is learned.
func (n *Network) wrapFrames(kind tunnel) error {
	links := map[[2]end]netlink.Link{} // from a node to a peer
	for _, e := range n.settings.ends() {
		if err := n.addTunnels(kind, e, links); err != nil {
			return err
		}
	}
	for pair, link := range links {
		back := links[[2]end{pair[1], pair[0]}]
		if err := n.pointTunnel(link, pair[0], pair[1], back.Attrs().HardwareAddr); err != nil {
			return err
		}
	}
	return nil
}

// addTunnels makes a node's links: one for all its peers, or for each.
func (n *Network) addTunnels(kind tunnel, e end, links map[[2]end]netlink.Link) (err error) {
	var link netlink.Link
	for i, peer := range n.settings.peers(e) {
		if i == 0 || kind.each {
			if link, err = n.addTunnel(kind.numbered(i), e, peer); err != nil {
				return err
			}
		}
		links[[2]end{e, peer}] = link
	}
	return nil
}

// numbered is the tunnel with another name for every peer but the first.
func (k tunnel) numbered(peer int) tunnel {
	if peer > 0 {
		k.name = fmt.Sprint(k.name, peer+1)
	}
	return k
}

// addTunnel makes the tunnel's end on a node.
func (n *Network) addTunnel(kind tunnel, self, peer end) (netlink.Link, error) {
	h, err := n.handle(self.name)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	wire, err := h.LinkByName(uplink)
	if err != nil {
		return nil, fmt.Errorf("find link: %w", err)
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = kind.name, n.settings.MTU
	link := kind.link(self, peer, attrs, wire.Attrs().Index)
	if err := h.LinkAdd(link); err != nil {
		return nil, fmt.Errorf("make link of type %s (%s): %w", link.Type(), kind.option, err)
	}
	return raise(h, kind.name, self.tunnel+"/32")
}

// pointTunnel tells an end where the other is.
func (n *Network) pointTunnel(link netlink.Link, from, to end, mac net.HardwareAddr) error {
	h, err := n.handle(from.name)
	if err != nil {
		return err
	}
	defer h.Close()
	neighbours := []*netlink.Neigh{{Family: unix.AF_INET, Type: unix.RTN_UNICAST, IP: net.ParseIP(to.tunnel)}}
	if link.Type() == "vxlan" { // Geneve's end has one peer, VXLAN's asks for the place of every address
		neighbours = append(neighbours, &netlink.Neigh{Family: unix.AF_BRIDGE, Flags: netlink.NTF_SELF, IP: net.ParseIP(to.address)})
	}
	for _, neighbour := range neighbours {
		neighbour.LinkIndex, neighbour.State, neighbour.HardwareAddr = link.Attrs().Index, netlink.NUD_PERMANENT, mac
		if err := h.NeighSet(neighbour); err != nil {
			return fmt.Errorf("add the other node to %s: %w", link.Attrs().Name, err)
		}
	}
	return n.route(from.name, link.Attrs().Name, to.pods, to.tunnel, int(netlink.FLAG_ONLINK))
}

// tunnelByRelay sends the pods' packets through a process on each node, which
// puts them into UDP packets: Flannel's udp, the slowest of the backends.
func (n *Network) tunnelByRelay(ctx context.Context) error {
	for _, e := range n.settings.ends() {
		args := []string{"relay", "--tun", relayLink, "--local", e.address}
		for _, peer := range n.settings.peers(e) {
			args = append(args, "--peer", peer.pods+"="+peer.address)
		}
		if err := n.startHelper(ctx, e.name, args...); err != nil {
			return err
		}
		if err := n.routeToRelay(e); err != nil {
			return err
		}
	}
	return nil
}

// routeToRelay sends the other nodes' pods' packets into the process's link.
func (n *Network) routeToRelay(e end) error {
	h, err := n.handle(e.name)
	if err != nil {
		return err
	}
	defer h.Close()
	link, err := h.LinkByName(relayLink)
	if err != nil {
		return fmt.Errorf("find the relay's link: %w", err)
	}
	if err := h.LinkSetMTU(link, n.settings.MTU); err != nil {
		return fmt.Errorf("set MTU of the relay's link: %w", err)
	}
	if _, err := raise(h, relayLink, e.tunnel+"/32"); err != nil {
		return err
	}
	for _, peer := range n.settings.peers(e) {
		if err := n.route(e.name, relayLink, peer.pods, "", 0); err != nil {
			return err
		}
	}
	return nil
}
