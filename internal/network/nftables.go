package network

import (
	"fmt"
	"strings"
)

// nftablesRules are the rules that kube-proxy of Kubernetes 1.34 writes in
// nftables mode (pkg/proxy/nftables/proxier.go), for nft(8). A Service is an
// entry of a map and not a rule in a chain, so that finding it takes the same
// time however many there are.
func nftablesRules(all []service) string {
	var chains, services, addresses strings.Builder
	for i, s := range all {
		if i > 0 {
			services.WriteString(", ")
			addresses.WriteString(", ")
		}
		fmt.Fprintf(&addresses, "%s", s.address)
		fmt.Fprintf(&services, "%s . tcp . %d : goto %s", s.address, s.port, s.nftService())
		s.nftables(&chains)
	}
	return fmt.Sprintf(nftablesTable, chains.String(), addresses.String(), services.String(), serviceNet)
}

// nftables writes the chains of one Service and of its endpoint.
func (s service) nftables(b *strings.Builder) {
	fmt.Fprintf(b, " chain %s {\n  ip saddr %s jump mark-for-masquerade\n  meta l4proto tcp dnat to %s:%d\n }\n", s.nftEndpoint(), s.endpoint, s.endpoint, s.endpointPort)
	fmt.Fprintf(b, " chain %s {\n  ip daddr %s tcp dport %d ip saddr != %s jump mark-for-masquerade\n  numgen random mod 1 vmap { 0 : goto %s }\n }\n", s.nftService(), s.address, s.port, clusterNet, s.nftEndpoint())
}

// nftName is what follows "service-" and "endpoint-" in the names of chains.
func (s service) nftName() string {
	namespaced, port, _ := strings.Cut(s.name, ":")
	return hash(8, s.name, "tcp") + "-" + namespaced + "/tcp/" + port
}

func (s service) nftService() string { return "service-" + s.nftName() }

func (s service) nftEndpoint() string {
	return fmt.Sprintf("endpoint-%s__%s/%d", s.nftName(), s.endpoint, s.endpointPort)
}

const nftablesTable = `table ip kube-proxy {
 comment "rules for kube-proxy"
 chain mark-for-masquerade { meta mark set meta mark or 0x4000; }
 chain masquerading {
  meta mark and 0x4000 == 0 return
  meta mark set meta mark xor 0x4000
  masquerade fully-random
 }
%[1]s set cluster-ips { type ipv4_addr; comment "Active ClusterIPs"; elements = { %[2]s }; }
 map no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict; comment "vmap to drop or reject packets to services with no endpoints"; }
 map firewall-ips { type ipv4_addr . inet_proto . inet_service : verdict; comment "destinations that are subject to LoadBalancerSourceRanges"; }
 map service-ips { type ipv4_addr . inet_proto . inet_service : verdict; comment "ClusterIP, ExternalIP and LoadBalancer IP traffic"; elements = { %[3]s }; }
 chain services { ip daddr . meta l4proto . th dport vmap @service-ips; }
 chain service-endpoints-check { ip daddr . meta l4proto . th dport vmap @no-endpoint-services; }
 chain firewall-check { ip daddr . meta l4proto . th dport vmap @firewall-ips; }
 chain cluster-ips-check {
  ip daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"
  ip daddr %[4]s drop comment "Drop traffic to unallocated ClusterIPs"
 }
 chain filter-prerouting { type filter hook prerouting priority dstnat - 10; ct state new jump firewall-check; }
 chain filter-input { type filter hook input priority filter; ct state new jump service-endpoints-check; }
 chain filter-forward {
  type filter hook forward priority filter;
  ct state new jump service-endpoints-check
  ct state new jump cluster-ips-check
 }
 chain filter-output {
  type filter hook output priority -110;
  ct state new jump service-endpoints-check
  ct state new jump firewall-check
 }
 chain filter-output-post-dnat { type filter hook output priority -90; ct state new jump cluster-ips-check; }
 chain nat-prerouting { type nat hook prerouting priority dstnat; jump services; }
 chain nat-output { type nat hook output priority -100; jump services; }
 chain nat-postrouting { type nat hook postrouting priority srcnat; jump masquerading; }
}
`
