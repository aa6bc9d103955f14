package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Where the client is.
const (
	Socket    = "socket"     // on this host, over the server's Unix socket
	SamePod   = "same-pod"   // in the server's pod, over TCP
	OtherPod  = "other-pod"  // in another pod of the node
	Host      = "host"       // on the node, in no pod
	OtherNode = "other-node" // on another node, in a pod if the server is in one
)

// Settings are the layers of the network that an arm switches on.
type Settings struct {
	// Client is where the load comes from; "" is Socket.
	Client string
	// Members are the servers of a replicated database, each on a node of its own; 0 and
	// 1 are the server alone.
	Members int
	// CutOff: a member will be cut off while the others run.
	CutOff bool
	Block
	Service Service
}

// Block is the network: block of an arm.
type Block struct {
	// Plugin is the CNI plugin of the pods, bridge or ptp; "" is none: server and
	// client are in their nodes' own namespaces (hostNetwork: true).
	Plugin string `yaml:"plugin"`
	// MTU is that of the pods; 0 is the largest that fits through a link of 1500.
	MTU int `yaml:"mtu"`
	// LinkMTU is that of the link between the nodes; 0 is what the pods' packets need
	// with what is added to them. A smaller one cuts packets up or, where they may
	// not be cut, stops them.
	LinkMTU int `yaml:"linkMTU"`
	// ICMP, false, has the nodes drop it, as some firewalls do: then the sender does not learn
	// that a packet did not fit; nil lets it pass.
	ICMP *bool `yaml:"icmp"`
	// DNS is how long the cluster's DNS takes to say that it does not know a name, as
	// that of most pods; 0 is no DNS of the cluster's.
	DNS Delay `yaml:"dns"`
	// Between is how packets get from the pods of one node to those of another;
	// "" is HostGW.
	Between string `yaml:"between"`
	// Rate, Delay and Loss are those of the link between the nodes, in each
	// direction; 0 is what the machine gives.
	Rate  Rate  `yaml:"rate"`
	Delay Delay `yaml:"delay"`
	Loss  Loss  `yaml:"loss"`
	// Qdisc is what holds the rate, tbf or htb (tc-tbf(8), tc-htb(8)); "" is TBF.
	Qdisc string `yaml:"qdisc"`
	// Offload lets packets larger than its MTU into the link, which a network card
	// would cut; nil is the kernel's own choice, which for a veth pair is true.
	Offload *bool `yaml:"offload"`
}

// link says whether anything is set of the link between nodes.
func (b Block) link() bool {
	return b.Rate != 0 || b.Delay != 0 || b.Loss != 0 || b.Offload != nil || b.LinkMTU != 0 || b.ICMP != nil
}

// silent says whether the nodes drop ICMP.
func (b Block) silent() bool { return b.ICMP != nil && !*b.ICMP }

// Service is the service: block of an arm.
type Service struct {
	// Proxy is the form of kube-proxy's rules, iptables, iptables-legacy or nftables; "" is no
	// Service: the client has the server's own address.
	Proxy string `yaml:"proxy"`
	// Others are the Services beside the server's.
	Others int `yaml:"others"`
}

// Wanted says whether the client uses a Service's address.
func (s Service) Wanted() bool { return s.Proxy != "" }

// Wanted says whether there is anything to build.
func (s Settings) Wanted() bool {
	return s.Client != Socket && s.Client != "" || s.podNetwork() || s.linked()
}

func (s Settings) podNetwork() bool { return s.Plugin != "" }

// loopback says whether client and server have the address 127.0.0.1 for each other.
func (s Settings) loopback() bool {
	return !s.Service.Wanted() && (s.Client == SamePod || s.Client == Host && !s.podNetwork())
}

// Defaulted fills in what was left out.
func (s Settings) Defaulted() Settings {
	if s.Client == "" {
		s.Client = Socket
	}
	if s.Between == "" {
		s.Between = HostGW
	}
	if s.MTU == 0 {
		s.MTU = ethernetMTU - s.overhead()
	}
	return s
}

// overhead is what the backend adds to every packet, in bytes.
func (s Settings) overhead() int {
	b, _ := findBackend(s.Between)
	return b.overhead
}

// linkMTU is that of the link between nodes: where nothing else is said, the pods'
// packets fit with what is added to them.
func (s Settings) linkMTU() int { return cmp.Or(s.LinkMTU, s.MTU+s.overhead()) }

// ethernetMTU is that of a link without jumbo frames.
const ethernetMTU = 1500

// The MTUs that all kinds of link take: IPv6 wants 1280 (RFC 8200, section 5),
// jumbo frames end at 9000.
const (
	minMTU = 1280
	maxMTU = 9000
)

// patience is how long one step of building may take: a plugin, a command. The longest is
// to write 10,000 Services in nftables mode, 23 s on a processor of its own.
const patience = 5 * time.Minute

// Wrong is what is wrong with one field.
type Wrong struct {
	Field string // as in the arm: "network.mtu"
	Err   error
}

// Error is the field and what is wrong with it.
func (w Wrong) Error() string { return w.Field + ": " + w.Err.Error() }

// Contradictions are all settings that no machine could satisfy.
func (s Settings) Contradictions() []Wrong {
	var all []Wrong
	wrong := func(field, format string, args ...any) {
		all = append(all, Wrong{field, fmt.Errorf(format, args...)})
	}
	if clients := []string{"", Socket, SamePod, OtherPod, Host, OtherNode}; !slices.Contains(clients, s.Client) {
		wrong("client", "%q is not a client location; write one of %s", s.Client, strings.Join(clients[1:], ", "))
	}
	if s.Client == OtherPod && !s.podNetwork() {
		wrong("client", "without a pod network, pods of one node share its namespace; write network: {plugin: bridge}, or client: host")
	}
	if s.Plugin != "" && s.Plugin != "bridge" && s.Plugin != "ptp" {
		wrong("network.plugin", "%q is not known; write bridge or ptp", s.Plugin)
	}
	if s.MTU != 0 && (s.MTU < minMTU || s.MTU > maxMTU) {
		wrong("network.mtu", "%d is out of range; write %d to %d", s.MTU, minMTU, maxMTU)
	}
	if s.LinkMTU != 0 && (s.LinkMTU < minMTU || s.LinkMTU > maxMTU) {
		wrong("network.linkMTU", "%d is out of range; write %d to %d", s.LinkMTU, minMTU, maxMTU)
	}
	switch {
	case s.Qdisc != "" && s.Qdisc != TBF && s.Qdisc != HTB:
		wrong("network.qdisc", "unknown qdisc %q; write tbf or htb", s.Qdisc)
	case s.Qdisc != "" && s.Rate == 0:
		wrong("network.qdisc", "a qdisc requires a rate; add rate: 1Gbit, or leave it out")
	}
	if s.link() && !s.linked() {
		wrong("network", "rate, delay, loss, offload, linkMTU and icmp are those of the link between two nodes; write client: other-node")
	}
	s.dnsContradictions(wrong)
	if b := s.Between; b != "" {
		_, known := findBackend(b)
		switch {
		case !known:
			wrong("network.between", "unknown network path %q; use one of %s", b, backendNames())
		case !s.linked():
			wrong("network.between", "there is one node only; write client: other-node")
		case !s.podNetwork():
			wrong("network.between", "without a pod network, pods use the nodes' link; write plugin: bridge or plugin: ptp")
		}
	}
	s.serviceContradictions(wrong)
	return all
}

func (s Settings) dnsContradictions(wrong func(field, format string, args ...any)) {
	switch {
	case s.DNS == 0:
	case s.Client == "" || s.Client == Socket:
		wrong("network.dns", "clients over the socket have no address to look up; write client: other-node, or another place")
	case s.Members <= 1 && s.loopback(): // further members see other addresses
		wrong("network.dns", "the client has the address 127.0.0.1, which the server knows without DNS; write client: other-node, or another place")
	}
}

func (s Settings) serviceContradictions(wrong func(field, format string, args ...any)) {
	if s.Service == (Service{}) {
		return
	}
	if p := s.Service.Proxy; p != iptablesProxy && p != legacyProxy && p != nftablesProxy {
		wrong("service.proxy", "unknown mode of kube-proxy %q; use iptables, iptables-legacy or nftables", p)
	}
	most := maxOthers
	if s.Service.Proxy == nftablesProxy {
		most = maxOthersNFT
	}
	if o := s.Service.Others; o < 0 || o > most {
		wrong("service.others", "%d is out of range; write 0 to %d", o, most)
	}
	if s.Client == "" || s.Client == Socket {
		wrong("service", "a socket has no address to translate; write client: other-pod, or another place")
	}
}
