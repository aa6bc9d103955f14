package layer

import (
	"context"

	"github.com/tarebench/tare/internal/network"
)

// networks are the layers between the client and the server. Each is tried in
// namespaces that end with the trial.
func networks(packets []string) []Layer {
	try := func(s network.Settings) func(context.Context) error {
		return func(ctx context.Context) error { return network.Check(ctx, s, packets) }
	}
	pod := func(plugin string) network.Settings {
		return network.Settings{Client: network.OtherPod, Block: network.Block{Plugin: plugin}}
	}
	service := func(proxy string) network.Settings {
		return network.Settings{Client: network.Host, Service: network.Service{Proxy: proxy}}
	}
	link := func(b network.Block) network.Settings {
		return network.Settings{Client: network.OtherNode, Block: b}
	}
	between := func(backend string) network.Settings {
		return network.Settings{Client: network.OtherNode, Block: network.Block{Plugin: "bridge", Between: backend}}
	}
	client := func(place string) network.Settings { return network.Settings{Client: place} }
	return []Layer{
		{Name: "pod network", Setting: "network: {plugin: bridge}", Attribute: "network", Help: "network namespace, veth pair and bridge, by the CNI plugin bridge", Probe: try(pod("bridge"))},
		{Name: "pod network", Setting: "network: {plugin: ptp}", Help: "network namespace and routed veth pair, by the CNI plugin ptp", Probe: try(pod("ptp"))},
		{Name: "Service address", Setting: "service: {proxy: iptables, others: 1000}", Attribute: "service", Help: "kube-proxy's rules in iptables form, among those of other Services", Probe: try(service("iptables"))},
		{Name: "Service address", Setting: "service: {proxy: iptables-legacy, others: 1000}", Help: "kube-proxy's rules in legacy iptables form, among those of other Services", Probe: try(service("iptables-legacy"))},
		{Name: "Service address", Setting: "service: {proxy: nftables, others: 1000}", Help: "kube-proxy's rules in nftables form, among those of other Services", Probe: try(service("nftables"))},
		{Name: "between nodes", Setting: "network: {between: host-gw}", Help: "pods of two nodes, routed", Probe: try(between(network.HostGW))},
		{Name: "between nodes", Setting: "network: {between: vxlan}", Attribute: "between", Help: "pods of two nodes, encapsulated by the kernel", Probe: try(between(network.VXLAN))},
		{Name: "between nodes", Setting: "network: {between: udp}", Help: "pods of two nodes, encapsulated by a process, as Flannel's udp", Probe: try(between(network.UDP))},
		{Name: "between nodes", Setting: "network: {between: ipip}", Help: "pods of two nodes, IP in IP", Probe: try(between(network.IPIP))},
		{Name: "between nodes", Setting: "network: {between: wireguard}", Help: "pods of two nodes, encrypted by the kernel", Probe: try(between(network.WireGuard))},
		{Name: "between nodes", Setting: "network: {between: geneve}", Help: "pods of two nodes, encapsulated by the kernel in Geneve's format", Probe: try(between(network.Geneve))},
		{Name: "link", Setting: "network: {rate: 1Gbit}", Help: "speed of the link between nodes", Probe: try(link(network.Block{Rate: 1e9}))},
		{Name: "link", Setting: "network: {rate: 1Gbit, qdisc: htb}", Help: "speed of the link between nodes, with HTB instead of a token bucket filter", Probe: try(link(network.Block{Rate: 1e9, Qdisc: network.HTB}))},
		{Name: "link", Setting: "network: {delay: 250us}", Help: "latency that the link adds in each direction", Probe: try(link(network.Block{Delay: 250_000}))},
		{Name: "link", Setting: "network: {loss: 0.1%}", Help: "share of the packets that the link loses", Probe: try(link(network.Block{Loss: 0.001}))},
		{Name: "link", Setting: "network: {mtu: 8950, offload: false}", Help: "largest packet of the pods, and of the link itself", Probe: try(link(network.Block{MTU: 8950, Offload: new(bool)}))},
		{Name: "client", Setting: "client: socket", Help: "load over the server's Unix socket"},
		{Name: "client", Setting: "client: same-pod", Help: "load over TCP from the server's own pod", Probe: try(client(network.SamePod))},
		{Name: "client", Setting: "client: other-pod", Help: "load over TCP from another pod of the node", Probe: try(pod("ptp"))},
		{Name: "client", Setting: "client: host", Help: "load over TCP from the node, outside of pods", Probe: try(client(network.Host))},
		{Name: "client", Setting: "client: other-node", Help: "load over TCP from another node", Probe: try(client(network.OtherNode))},
	}
}
