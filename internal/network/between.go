package network

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Backends between nodes, by the names of Flannel's backends where it has one.
const (
	HostGW    = "host-gw"   // routed
	VXLAN     = "vxlan"     // encapsulated by the kernel
	UDP       = "udp"       // encapsulated by a process
	IPIP      = "ipip"      // IP in IP
	Geneve    = "geneve"    // encapsulated by the kernel, with room for options
	WireGuard = "wireguard" // encrypted by the kernel
)

// backend is how packets get from the pods of one node to those of the other, as Flannel
// uses the word.
type backend struct {
	name string
	// overhead is what it adds to every packet, in bytes.
	overhead int
	build    func(*Network, context.Context) error
}

// backends are all that there are. Every packet gets an IPv4 header of 20 bytes; beside
// it VXLAN and Geneve add a UDP header, their own of 8 (RFC 7348, section 5; RFC
// 8926, section 3.4, without options) and an Ethernet header, the relay a UDP
// header, and WireGuard a UDP header, its own and a tag of 16 each (its paper,
// section 5.4.6).
func backends() []backend {
	return []backend{
		{HostGW, 0, (*Network).routeByHosts},
		{VXLAN, 20 + 8 + 8 + 14, (*Network).tunnelByVXLAN},
		{UDP, 20 + 8, (*Network).tunnelByRelay},
		{IPIP, 20, (*Network).tunnelByIPIP},
		{Geneve, 20 + 8 + 8 + 14, (*Network).tunnelByGeneve},
		{WireGuard, 20 + 8 + 16 + 16, (*Network).tunnelByWireGuard},
	}
}

// backendNames are the names for the message about an unknown one.
func backendNames() string {
	var all []string
	for _, b := range backends() {
		all = append(all, b.name)
	}
	return strings.Join(all, ", ")
}

func findBackend(name string) (backend, bool) {
	i := slices.IndexFunc(backends(), func(b backend) bool { return b.name == name })
	if i < 0 {
		return backend{}, false
	}
	return backends()[i], true
}

// connectNodes makes the pods of all nodes reach each other.
func (n *Network) connectNodes(ctx context.Context) error {
	if !n.settings.linked() || !n.settings.podNetwork() {
		return nil
	}
	b, ok := findBackend(n.settings.Between)
	if !ok {
		return fmt.Errorf("connect nodes: unknown network path %q", n.settings.Between)
	}
	return b.build(n, ctx)
}

// routeByHosts routes every node's pods by the node's own address: what Flannel
// calls host-gw and others no encapsulation.
func (n *Network) routeByHosts(context.Context) error {
	for _, e := range n.settings.ends() {
		for _, peer := range n.settings.peers(e) {
			if err := n.route(e.name, uplink, peer.pods, peer.address, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// route adds a route to a node.
func (n *Network) route(name, link, subnet, gateway string, flags int) error {
	h, err := n.handle(name)
	if err != nil {
		return err
	}
	defer h.Close()
	l, err := h.LinkByName(link)
	if err != nil {
		return fmt.Errorf("find link %s: %w", link, err)
	}
	_, to, err := net.ParseCIDR(subnet)
	if err != nil {
		return fmt.Errorf("read network %s: %w", subnet, err)
	}
	route := &netlink.Route{LinkIndex: l.Attrs().Index, Dst: to, Gw: net.ParseIP(gateway), Flags: flags}
	if gateway == "" {
		route.Scope = unix.RT_SCOPE_LINK
	}
	if err = h.RouteAdd(route); err != nil {
		return fmt.Errorf("route %s by %s: %w", subnet, gateway, err)
	}
	return nil
}
