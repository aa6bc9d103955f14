// Network plugins: what each node's containerd is told, and the routes between
// nodes.
package main

import "fmt"

// plugins by the word for -cni.
var plugins = map[string]func(node) string{
	"bridge": func(n node) string {
		return conflist(n, `"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true`)
	},
	"ptp": func(n node) string { return conflist(n, `"type": "ptp"`) },
}

// conflist is the plugin with addresses from the node's pod network and host
// ports.
func conflist(n node, plugin string) string {
	return fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "lab", "plugins": [
  {%s, "mtu": 1500, "ipMasq": false,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": %q}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
`, plugin, n.pods())
}

// routes are the static ones to the other nodes' pods. What leaves the pod
// network gets the node's address: nothing outside knows the way back.
func routes(n node) string {
	lines := fmt.Sprintf("iptables -w -t nat -A POSTROUTING -s %s ! -d %s -j MASQUERADE\n", podNetwork, podNetwork)
	for _, other := range nodes {
		if other.name != n.name {
			lines += fmt.Sprintf("ip route replace %s via %s proto static\n", other.pods(), other.address())
		}
	}
	return lines
}
