package network

import (
	"fmt"
	"slices"
	"strings"
)

// transaction is how many Services one COMMIT writes. iptables-restore of nf_tables searches
// all chains that a transaction declares for every rule: 10,000 Services in one took 17 s of
// CPU time, in ten 1.2 s, and the kernel holds the same rules (iptables 1.8.9). iptables-legacy
// reads and writes the whole table in each: 30,000 Services in one took 4 s, in thirty 17 s.
const transaction = 1000

// iptablesRules are the rules that kube-proxy of Kubernetes 1.34 writes in
// iptables mode (pkg/proxy/iptables/proxier.go, syncProxyRules), for
// iptables-restore: the jumps from the built-in chains, which it makes one by
// one, included. masqueradeAll is off, and the mark is bit 14, as by default. They are written
// in transactions of a number of Services.
func iptablesRules(all []service, transaction int) string {
	var b strings.Builder
	b.WriteString(iptablesFilter)
	b.WriteString("*nat\n:KUBE-SERVICES - [0:0]\n:KUBE-NODEPORTS - [0:0]\n:KUBE-POSTROUTING - [0:0]\n:KUBE-MARK-MASQ - [0:0]\n")
	b.WriteString(iptablesNAT)
	b.WriteString("COMMIT\n")
	for part := range slices.Chunk(all, transaction) {
		b.WriteString("*nat\n")
		for _, s := range part {
			fmt.Fprintf(&b, ":%s - [0:0]\n:%s - [0:0]\n", s.serviceChain(), s.endpointChain())
		}
		for _, s := range part {
			s.iptables(&b)
		}
		b.WriteString("COMMIT\n")
	}
	b.WriteString("*nat\n-A KUBE-SERVICES -m comment --comment \"kubernetes service nodeports; NOTE: this must be the last rule in this chain\" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS\nCOMMIT\n")
	return b.String()
}

// iptables writes the rules of one Service: the match on its address, the choice
// of its only endpoint, and the translation.
func (s service) iptables(b *strings.Builder) {
	chain, endpoint := s.serviceChain(), s.endpointChain()
	fmt.Fprintf(b, "-A KUBE-SERVICES -m comment --comment \"%s cluster IP\" -m tcp -p tcp -d %s --dport %d -j %s\n", s.name, s.address, s.port, chain)
	fmt.Fprintf(b, "-A %s -m comment --comment \"%s cluster IP\" -m tcp -p tcp -d %s --dport %d ! -s %s -j KUBE-MARK-MASQ\n", chain, s.name, s.address, s.port, clusterNet)
	fmt.Fprintf(b, "-A %s -m comment --comment \"%s -> %s:%d\" -j %s\n", chain, s.name, s.endpoint, s.endpointPort, endpoint)
	fmt.Fprintf(b, "-A %s -m comment --comment %q -s %s -j KUBE-MARK-MASQ\n", endpoint, s.name, s.endpoint)
	fmt.Fprintf(b, "-A %s -m comment --comment %q -m tcp -p tcp -j DNAT --to-destination %s:%d\n", endpoint, s.name, s.endpoint, s.endpointPort)
}

func (s service) serviceChain() string { return "KUBE-SVC-" + hash(16, s.name, "tcp") }

func (s service) endpointChain() string {
	return "KUBE-SEP-" + hash(16, s.name, "tcp", fmt.Sprintf("%s:%d", s.endpoint, s.endpointPort))
}

const iptablesFilter = `*filter
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS
-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
-A INPUT -j KUBE-FIREWALL
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
-A OUTPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-A OUTPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -j KUBE-FIREWALL
-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
`

const iptablesNAT = `-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
`
