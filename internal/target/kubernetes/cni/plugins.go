package cni

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// What the modes are called.
const (
	noEncapsulation = "no encapsulation"
	cloudAddresses  = "addresses of the cloud's network, no encapsulation"
)

// flannel's annotation is the backend, but that its backends udp and alloc write none
// (flannel-io/flannel pkg/backend/udp/udp_amd64.go, alloc/alloc.go, RegisterNetwork). Its
// ConfigMap has options as well (Documentation/backends.md).
func flannel(o Objects) (network, bool) {
	kind, ok := o.annotated("flannel.alpha.coreos.com/backend-type")
	if !ok {
		return network{}, false
	}
	n := network{plugin: "flannel", between: cmp.Or(kind, "udp, or alloc: Flannel writes no backend for these two"), source: "annotations of node " + o.Node.Name}
	var net struct {
		Backend struct {
			Type          string
			DirectRouting bool
			MTU           json.Number
		}
	}
	config := o.config("kube-flannel/kube-flannel-cfg", "kube-system/kube-flannel-cfg", "kube-system/canal-config")
	if json.Unmarshal([]byte(config["net-conf.json"]), &net) == nil && net.Backend.Type != "" {
		n.between, n.mtu, n.source = net.Backend.Type, net.Backend.MTU.String(), "ConfigMap kube-flannel-cfg"
		if net.Backend.DirectRouting {
			n.between += ", routed within a subnet (DirectRouting)"
		}
	}
	switch {
	case strings.HasPrefix(n.between, "wireguard"):
		n.encryption = "wireguard"
	case strings.HasPrefix(n.between, "ipsec"):
		n.encryption = "ipsec"
	}
	if c, ok := o.agent("kube-flannel"); ok {
		n.link = cmp.Or(option(c, "iface"), option(c, "iface-regex"), option(c, "iface-can-reach"), env(c, "FLANNELD_IFACE"))
	}
	return n, true
}

// calico writes an address of its tunnel on nodes whose pools have one, whatever the
// destination; the pool says whether it is used within a subnet.
func calico(o Objects) (network, bool) {
	n := network{plugin: "calico", source: "annotations of node " + o.Node.Name}
	for _, note := range []struct{ key, mode string }{
		{"projectcalico.org/IPv4VXLANTunnelAddr", "vxlan"}, {"projectcalico.org/IPv4IPIPTunnelAddr", "ipip"}, {"projectcalico.org/IPv4Address", noEncapsulation},
	} {
		if _, ok := o.Node.Annotations[note.key]; ok && n.between == "" {
			n.between = note.mode
		}
	}
	c, runs := o.agent("calico-node")
	if n.between == "" && !runs {
		return network{}, false
	}
	if p, ok := o.pool(); ok {
		n.between, n.source = p.mode(), "IPPool with the pod's address"
	}
	if _, ok := o.annotated("projectcalico.org/IPv4WireguardInterfaceAddr"); ok {
		n.encryption = "wireguard"
	}
	if config := o.config("kube-system/calico-config"); config != nil {
		n.mtu = map[bool]string{true: "auto", false: config["veth_mtu"]}[config["veth_mtu"] == "0"]
	}
	n.link = env(c, "IP_AUTODETECTION_METHOD")
	if strings.EqualFold(env(c, "FELIX_BPFENABLED"), "true") {
		n.proxy = "Calico (eBPF)"
	}
	return n, true
}

// pool is the one that the server's pod has its address from; of a pod without one, the
// first that is not disabled.
func (o Objects) pool() (Pool, bool) {
	var first *Pool
	for i, p := range o.Pools {
		net, err := netip.ParsePrefix(p.CIDR)
		if err != nil || !net.Addr().Is4() {
			continue
		}
		if o.Pod != nil {
			if at, err := netip.ParseAddr(o.Pod.Status.PodIP); err == nil && net.Contains(at) {
				return p, true
			}
		}
		if first == nil && !p.Disabled {
			first = &o.Pools[i]
		}
	}
	if first == nil {
		return Pool{}, false
	}
	return *first, true
}

func (p Pool) mode() string {
	for _, m := range []struct{ name, when string }{{"ipip", p.IPIPMode}, {"vxlan", p.VXLANMode}} {
		switch m.when {
		case "Always":
			return m.name
		case "CrossSubnet":
			return m.name + " between subnets, no encapsulation within one (CrossSubnet)"
		}
	}
	return noEncapsulation
}

// cilium has its whole configuration in one ConfigMap (Documentation/cmdref/cilium-agent.md).
func cilium(o Objects) (network, bool) {
	_, runs := o.agent("cilium-agent")
	_, noted := o.annotated("network.cilium.io/ipv4-cilium-host", "io.cilium.network.ipv4-cilium-host")
	config := o.config("kube-system/cilium-config", "cilium/cilium-config")
	if !runs && !noted && config == nil {
		return network{}, false
	}
	n := network{plugin: "cilium", source: "annotations and pods of node " + o.Node.Name}
	if config == nil {
		return n, true
	}
	n.source = "ConfigMap cilium-config"
	n.between, n.mtu, n.link = ciliumMode(config), config["mtu"], config["devices"]
	n.encryption, n.proxy = ciliumEncryption(config), ciliumProxy(config)
	return n, true
}

// ciliumMode reads routing-mode and tunnel-protocol, and tunnel of releases before 1.14.
func ciliumMode(config map[string]string) string {
	switch old := config["tunnel"]; {
	case config["routing-mode"] == "native", old == "disabled":
		return "native routing, no encapsulation"
	case config["routing-mode"] == "tunnel":
		return cmp.Or(config["tunnel-protocol"], "vxlan") + " tunnel"
	case old != "":
		return old + " tunnel"
	}
	return cmp.Or(config["tunnel-protocol"], "vxlan") + " tunnel" // the default of both
}

func ciliumEncryption(config map[string]string) string {
	switch {
	case config["enable-wireguard"] == "true":
		return "wireguard"
	case config["enable-ipsec"] == "true":
		return "ipsec"
	}
	return "none"
}

func ciliumProxy(config map[string]string) string {
	switch v := config["kube-proxy-replacement"]; v {
	case "true", "strict":
		return "Cilium (eBPF)"
	case "partial", "probe":
		return "Cilium (eBPF), in part: kube-proxy-replacement is " + v
	}
	return ""
}

// ovn always has Geneve between nodes, but for networks without an overlay, which
// user-defined networks alone have. OVN's load balancers replace kube-proxy
// (https://ovn-kubernetes.io/design/architecture/).
func ovn(o Objects) (network, bool) {
	if _, ok := o.annotated("k8s.ovn.org/node-subnets"); !ok {
		return network{}, false
	}
	n := network{plugin: "ovn-kubernetes", between: "geneve tunnel", proxy: "OVN load balancers", source: "annotations of node " + o.Node.Name}
	var gateways map[string]struct {
		Mode      string `json:"mode"`
		Interface string `json:"interface-id"`
	}
	if text, ok := o.annotated("k8s.ovn.org/l3-gateway-config"); ok && json.Unmarshal([]byte(text), &gateways) == nil {
		n.link = gateways["default"].Interface
	}
	return n, true
}

// weave says nowhere in the cluster's objects whether its connections are in fast datapath
// or in sleeve mode: `weave status connections` does (https://github.com/weaveworks/weave).
func weave(o Objects) (network, bool) {
	c, runs := o.agent("weave")
	_, noted := o.annotated("weave.works/peer")
	if !runs && !noted {
		return network{}, false
	}
	n := network{plugin: "weave", mtu: env(c, "WEAVE_MTU"), source: "annotations and pods of node " + o.Node.Name}
	if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "WEAVE_PASSWORD" }) { // its value is a Secret's
		n.encryption = "with a password"
	}
	return n, true
}

// kubeRouter routes by BGP, and has a tunnel between subnets unless it is switched off
// (docs/user-guide.md: --enable-overlay, --overlay-type, --overlay-encap).
func kubeRouter(o Objects) (network, bool) {
	c, runs := o.agent("kube-router")
	_, noted := o.annotated("kube-router.io/bgp-local-addresses")
	if !runs && !noted || runs && option(c, "run-router") == "false" {
		return network{}, false
	}
	n := network{plugin: "kube-router", between: "BGP", source: "annotations and pods of node " + o.Node.Name}
	if !runs {
		return n, true
	}
	encap := cmp.Or(option(c, "overlay-encap"), "ipip")
	switch {
	case option(c, "enable-overlay") == "false":
		n.between = "BGP, " + noEncapsulation
	case option(c, "overlay-type") == "full":
		n.between = "BGP, " + encap
	default:
		n.between = "BGP, " + encap + " between subnets, no encapsulation within one"
	}
	if option(c, "run-service-proxy") == "true" {
		n.proxy = "kube-router (IPVS)"
	}
	n.mtu = map[string]string{"": "auto", "true": "auto"}[option(c, "auto-mtu")]
	return n, true
}

// antrea has its mode in a configuration that is not read (antrea-io/antrea, antrea-agent.conf:
// trafficEncapMode, tunnelType).
func antrea(o Objects) (network, bool) {
	if _, ok := o.agent("antrea-agent"); !ok {
		return network{}, false
	}
	return network{plugin: "antrea", source: "pods of node " + o.Node.Name}, true
}

// kindnet is kind's own: routes between the nodes, which are containers of one machine.
func kindnet(o Objects) (network, bool) {
	if _, ok := o.agent("kindnet-cni"); !ok {
		return network{}, false
	}
	return network{plugin: "kindnet", between: noEncapsulation, source: "pods of node " + o.Node.Name}, true
}
