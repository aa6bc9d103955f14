package network

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Facts read the network back from the kernel, namespace by namespace. Keys are
// network.<namespace>.<what>. Where there is none, the client is on this host.
func (n *Network) Facts(ctx context.Context) []record.Fact {
	if n == nil {
		return []record.Fact{{Key: keys.NetworkClient, Value: Socket, Source: "experiment.yaml"}}
	}
	facts := []record.Fact{
		{Key: keys.NetworkClient, Value: n.settings.Client, Source: "experiment.yaml"},
		{Key: keys.NetworkServerAddress, Value: n.server, Source: n.ServerNamespace()},
	}
	if n.settings.Rate > 0 && n.settings.linked() {
		facts = append(facts, record.Fact{Key: keys.NetworkLinkBitsPerS, Value: fmt.Sprint(uint64(n.settings.Rate)), Source: "experiment.yaml"})
	}
	for _, name := range n.namespaces() {
		facts = append(facts, n.readNamespace(name)...)
	}
	for _, name := range n.nodes() {
		facts = append(facts, n.linkFacts(ctx, name)...)
		facts = append(facts, n.serviceFacts(ctx, name)...)
	}
	return facts
}

// readNamespace reads links, routes and sysctls of one namespace.
func (n *Network) readNamespace(name string) []record.Fact {
	prefix, path := "network."+name+".", n.path(name)
	unknown := func(err error) []record.Fact {
		return []record.Fact{{Key: prefix + "links", Source: path, Unknown: err.Error()}}
	}
	h, err := n.handle(name)
	if err != nil {
		return unknown(err)
	}
	defer h.Close()
	links, err := h.LinkList()
	if err != nil {
		return unknown(err)
	}
	called := callings(links)
	var facts []record.Fact
	for _, l := range links {
		facts = append(facts, readLink(h, l, called, prefix, path)...)
	}
	facts = append(facts, readRoutes(h, called, prefix, path))
	return append(facts, readSysctls(prefix, path)...)
}

// callings are what links are called in facts, by index: a plugin names the
// node's end of a pod's link at random, and a name that differs from trial to
// trial would say that the trials do.
func callings(links []netlink.Link) map[int]string {
	called := map[int]string{}
	random := 0
	for _, l := range links {
		called[l.Attrs().Index] = l.Attrs().Name
		if strings.HasPrefix(l.Attrs().Name, "veth") {
			called[l.Attrs().Index] = fmt.Sprintf("veth%d", random)
			random++
		}
	}
	return called
}

func readLink(h *netlink.Handle, l netlink.Link, called map[int]string, prefix, path string) []record.Fact {
	a := l.Attrs()
	key := prefix + "link." + called[a.Index]
	facts := []record.Fact{
		{Key: key, Value: l.Type(), Source: path},
		{Key: key + ".mtu", Value: fmt.Sprint(a.MTU), Source: path},
	}
	addresses, err := h.AddrList(l, netlink.FAMILY_V4)
	list := record.Fact{Key: key + ".address", Source: path}
	var texts []string
	for _, ip := range addresses {
		texts = append(texts, ip.IPNet.String())
	}
	if list.Value = strings.Join(texts, " "); err != nil {
		list.Unknown = err.Error()
	}
	facts = append(facts, list)
	return append(facts, readQdisc(h, l, key+".qdisc", path))
}

// readQdisc reads how a link's packets queue.
func readQdisc(h *netlink.Handle, l netlink.Link, key, path string) record.Fact {
	f := record.Fact{Key: key, Source: path}
	all, err := h.QdiscList(l)
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	var texts []string
	for _, q := range all {
		text, err := readRate(h, l, q)
		if err != nil {
			f.Unknown = err.Error()
			return f
		}
		texts = append(texts, q.Type()+text)
	}
	f.Value = strings.Join(texts, ", ")
	return f
}

// readRoutes reads the main table.
func readRoutes(h *netlink.Handle, called map[int]string, prefix, path string) record.Fact {
	f := record.Fact{Key: prefix + "routes", Source: path}
	routes, err := h.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	var texts []string
	for _, r := range routes {
		text := "default"
		if maskOf(r.Dst) > 0 {
			text = r.Dst.String()
		}
		if r.Gw != nil {
			text += " via " + r.Gw.String()
		}
		texts = append(texts, text+" dev "+called[r.LinkIndex])
	}
	slices.Sort(texts)
	f.Value = strings.Join(texts, ", ")
	return f
}

// maskOf is the length of a network's prefix, 0 for none.
func maskOf(n *net.IPNet) int {
	if n == nil {
		return 0
	}
	ones, _ := n.Mask.Size()
	return ones
}

// sysctls are what the speed of a namespace's connections depends on. A new
// namespace has the kernel's defaults for most of them and not the host's.
func sysctls() []string {
	return []string{
		"net/ipv4/ip_forward", "net/bridge/bridge-nf-call-iptables", "net/ipv4/tcp_congestion_control",
		"net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem", "net/core/somaxconn",
	}
}

func readSysctls(prefix, path string) []record.Fact {
	var facts []record.Fact
	err := Inside(path, func() error {
		for _, name := range sysctls() {
			f := record.Fact{Key: prefix + strings.ReplaceAll(strings.TrimPrefix(name, "net/"), "/", "."), Source: filepath.Join("/proc/sys", name)}
			b, err := os.ReadFile(f.Source)
			if f.Value = strings.Join(strings.Fields(string(b)), " "); err != nil {
				f.Unknown = err.Error()
			}
			facts = append(facts, f)
		}
		return nil
	})
	if err != nil {
		facts = append(facts, record.Fact{Key: prefix + "sysctls", Source: path, Unknown: err.Error()})
	}
	return facts
}
