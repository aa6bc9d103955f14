package probe

// This file reads the network namespace of the node that a running server's packets pass: it
// is the one at the other end of the server's network interface.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"github.com/tarebench/tare/internal/keys"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/record"
)

// nodeNetwork reads what became of packets on the node, and whether those that the server
// sends into a tunnel fit the node's links.
func nodeNetwork() Probe {
	return Probe{
		Name: "node.network", Help: "fragments in the network namespace of the server's node, and packets of the server in a tunnel",
		Metrics: []record.Metric{
			cost(keys.NodeIPFragments, "1", "fragments made on the node"), cost(keys.NodeIPFragmentationFailures, "1", "packets on the node that were too large and had the Don't Fragment flag"),
			cost(keys.NodeIPReassembled, "1", "fragments received on the node that needed reassembly"),
			gauge(keys.TCPTunnelPacketBytes, "bytes", "largest packet that a tunnel of the node makes from a full segment of the server"),
			gauge(keys.NodeLinkMTUBytes, "bytes", "largest MTU of the node's links, without tunnels and bridges"),
		},
		GoesOn: true,
		Start: func(p Place) (Read, error) {
			port, err := p.port()
			if err != nil {
				return nil, err
			}
			pid, err := p.nodeProcess()
			if err != nil {
				return nil, err
			}
			node := Place{Root: p.Root, PID: pid}
			return func(_ context.Context, put func(string, float64)) error {
				text, err := read(p.Root, node.proc("net/snmp"))
				if err != nil {
					return err
				}
				rename(paired(text), map[string]string{"Ip.FragCreates": keys.NodeIPFragments, "Ip.FragFails": keys.NodeIPFragmentationFailures, "Ip.ReasmReqds": keys.NodeIPReassembled}, 1, put)
				all, err := p.connections(port)
				if err != nil {
					return err
				}
				return node.tunnelled(all, put)
			}, nil
		},
	}
}

// nodeProcess is a process in the namespace that the server's interface leads to. The kernel
// gives the number under which the server's namespace knows that one (IFLA_LINK_NETNSID and
// RTM_GETNSID of rtnetlink(7)). Listing links assigns it, as ip-link(8) does.
func (p Place) nodeProcess() (pid int, err error) {
	entries, err := fs.ReadDir(p.Root, "proc")
	if err != nil {
		return 0, fmt.Errorf("find the node's network namespace: %w", err)
	}
	own, _ := fs.ReadLink(p.Root, p.proc("ns/net"))
	err = network.Inside("/"+p.proc("ns/net"), func() error {
		id, err := linkNamespace()
		if err != nil {
			return err
		}
		seen := map[string]bool{own: true}
		for _, e := range entries {
			candidate, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			ns, err := fs.ReadLink(p.Root, path.Join("proc", e.Name(), "ns/net"))
			if err != nil || seen[ns] { // it has ended, or is of a namespace that was asked about
				continue
			}
			seen[ns] = true
			if n, err := netlink.GetNetNsIdByPid(candidate); err == nil && n == id {
				pid = candidate
				return nil
			}
		}
		return errors.New("no process is in it")
	})
	if err != nil {
		return 0, fmt.Errorf("find the node's network namespace: %w", err)
	}
	return pid, nil
}

// linkNamespace is the number of the namespace at the other end of the calling thread's
// interfaces.
func linkNamespace() (int, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return 0, err
	}
	for _, l := range links {
		if a := l.Attrs(); a.NetNsID >= 0 && l.Type() == "veth" {
			return a.NetNsID, nil
		}
	}
	return 0, errors.New("the server has no interface that leads to another network namespace")
}

// overheads are the least bytes that a tunnel adds to a packet, by the kind of its interface:
// an IPv4 header of 20, and the tunnel's own (internal/network, backends). A program behind a tun
// device can add no less than a UDP header.
func overheads() map[string]int {
	return map[string]int{"vxlan": 50, "geneve": 50, "ipip": 20, "gre": 24, "wireguard": 60, "tun": 28, "tuntap": 28}
}

// tunnelled reads the largest packet of the connections in a tunnel, and the MTU of the links.
// It puts no packet if no connection leads through a tunnel.
func (p Place) tunnelled(all []connection, put func(string, float64)) error {
	return network.Inside("/"+p.proc("ns/net"), func() error {
		links, err := netlink.LinkList()
		if err != nil {
			return err
		}
		byIndex, widest := map[int]netlink.Link{}, 0
		for _, l := range links {
			a := l.Attrs()
			byIndex[a.Index] = l
			_, tunnel := overheads()[l.Type()]
			if inside := l.Type() == "bridge" || a.MasterIndex != 0; !tunnel && !inside && a.RawFlags&unix.IFF_LOOPBACK == 0 {
				widest = max(widest, a.MTU)
			}
		}
		most, routes := 0, map[string]netlink.Link{}
		for _, c := range all {
			l, known := routes[c.peer.String()]
			if !known {
				if found, err := netlink.RouteGet(c.peer); err == nil && len(found) > 0 {
					l = byIndex[found[0].LinkIndex]
				}
				routes[c.peer.String()] = l
			}
			most = max(most, c.packet(l))
		}
		if most > 0 {
			put(keys.TCPTunnelPacketBytes, float64(most))
			put(keys.NodeLinkMTUBytes, float64(widest))
		}
		return nil
	})
}

// packet is the size of a full segment of the connection in the tunnel that l is; 0 if l is
// none, or the connection has sent small segments only as far as their mean tells.
func (c connection) packet(l netlink.Link) int {
	if l == nil || c.info.Data_segs_out == 0 {
		return 0
	}
	adds, tunnel := overheads()[l.Type()]
	mean := float64(c.info.Bytes_sent) / float64(c.info.Data_segs_out)
	if !tunnel || mean < largeShare*float64(c.info.Snd_mss) {
		return 0
	}
	return min(int(c.info.Pmtu), l.Attrs().MTU) + adds
}

// largeShare is the mean segment, as a share of the largest, from which a connection sends
// full segments too: results of a row are smaller, results of hundreds of rows fill segments.
const largeShare = 0.25
