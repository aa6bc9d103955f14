package kubernetes

// What can be known of a cluster's network from outside its nodes: what the plugins
// write on nodes, and what the pod sees of its own link.

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/record"
)

// networkNotes are annotations by which plugins tell how they carry packets between
// nodes. Those whose value is an address of a tunnel say the mode by being there.
// Flannel's value is the mode, but that its backends udp and alloc write none
// (flannel-io/flannel pkg/backend/udp/udp_amd64.go, alloc/alloc.go, RegisterNetwork).
var networkNotes = []struct{ annotation, plugin, mode string }{
	{"flannel.alpha.coreos.com/backend-type", "flannel", ""},
	{"projectcalico.org/IPv4VXLANTunnelAddr", "calico", "vxlan"},
	{"projectcalico.org/IPv4IPIPTunnelAddr", "calico", "ipip"},
	{"projectcalico.org/IPv4Address", "calico", "no encapsulation"},
	{"network.cilium.io/ipv4-cilium-host", "cilium", "not written on the node"},
	{"io.cilium.network.ipv4-cilium-host", "cilium", "not written on the node"},
	{"kube-router.io/bgp-local-addresses", "kube-router", "BGP"},
	{"weave.works/peer", "weave", "not written on the node"},
}

// networkPlugin is the network plugin of a node and its mode, "" where nothing on
// the node tells.
func networkPlugin(n *corev1.Node) (plugin, mode string) {
	for _, note := range networkNotes {
		value, ok := n.Annotations[note.annotation]
		switch {
		case !ok:
		case note.mode == "":
			return note.plugin, cmp.Or(value, "udp, or alloc: Flannel writes no backend for these two")
		default:
			return note.plugin, note.mode
		}
	}
	return "", ""
}

// pluginFacts are the plugin and its mode.
func pluginFacts(n *corev1.Node) []record.Fact {
	source := "annotations of node " + n.Name
	plugin, mode := networkPlugin(n)
	if plugin == "" {
		return []record.Fact{{Key: "network.plugin", Source: source, Unknown: "no plugin that tare knows has written there; its configuration is in /etc/cni/net.d of the node"}}
	}
	return []record.Fact{{Key: "network.plugin", Value: plugin, Source: source}, {Key: "network.between", Value: mode, Source: source}}
}

// linkFacts are what start.sh printed of the pod's links and routes.
func (s *server) linkFacts(ctx context.Context) []record.Fact {
	if set := s.target.settings; set.isOwn() || set.isOperator() {
		return []record.Fact{{Key: "network.mtu", Unknown: "tare runs nothing in the pods of " + map[bool]string{true: "an operator", false: "manifests"}[set.isOperator()]}}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	log, err := s.target.cluster.logs(ctx, s.podName(), s.container, false)
	if err != nil {
		return []record.Fact{{Key: "network.mtu", Unknown: err.Error()}}
	}
	defer log.Close()
	return readLinks(log)
}

// readLinks reads the lines "tare: link NAME mtu N" and "tare: route ..." of a log;
// the latter are those of /proc/net/route, addresses in the machine's byte order.
func readLinks(log io.Reader) []record.Fact {
	var facts []record.Fact
	mode := ""
	for lines := bufio.NewScanner(log); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 5 && words[1] == "link" && words[0] == "tare:" && words[2] != "lo":
			facts = append(facts, record.Fact{Key: "network.mtu." + words[2], Value: words[4], Source: "/sys/class/net of the server's pod"})
		case len(words) > 9 && words[1] == "route" && words[0] == "tare:" && words[2] != "Iface" && words[3] != "00000000" && words[9] != "FFFFFFFF":
			mode = "routed: other pods of the node are reached through its gateway, as the plugin ptp has it"
			if words[4] == "00000000" {
				mode = "bridged: other pods of the node are on the same link, as the plugin bridge has it"
			}
		}
	}
	if len(facts) == 0 {
		return []record.Fact{{Key: "network.mtu", Unknown: "the server's pod has not printed its links"}}
	}
	if mode != "" {
		facts = append(facts, record.Fact{Key: "network.link", Value: mode, Source: "/proc/net/route of the server's pod"})
	}
	return facts
}
