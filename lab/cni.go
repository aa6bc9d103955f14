// Network plugins: what each node's containerd is told of pods.
package main

import (
	"fmt"
	"os"
	"strings"
)

// plugin is one word for -cni.
type plugin struct {
	// main is the plugin that makes a pod's link, with its own options.
	main string
	// backend is how Flannel carries packets between nodes; "" where the routes
	// between the nodes are static.
	backend string
}

const onBridge = `"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true`

// plugins by the word for -cni. Flannel's own plugin would write the configuration
// of the plugin bridge with the figures that its agent has left; here the node does
// (flannelPods), so that this plugin needs no source of its own.
var plugins = map[string]plugin{
	"bridge":          {main: onBridge},
	"ptp":             {main: `"type": "ptp"`},
	"flannel-vxlan":   {main: onBridge, backend: "vxlan"},
	"flannel-host-gw": {main: onBridge, backend: "host-gw"},
	"flannel-udp":     {main: onBridge, backend: "udp"},
}

// linkMTU is that of the wires between the nodes.
const linkMTU = 1500

// conflist is the plugin with addresses from the node's pod network, host ports, and
// a second interface for pods that ask for one.
func (p plugin) conflist(n node, mtu int) string {
	return fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "lab", "plugins": [
  {%s, "mtu": %d, "ipMasq": false,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": %q}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}},
  %s
]}
`, p.main, mtu, n.pods(), secondConfig(n))
}

// pluginFile holds the word for -cni: a node that is started again has the plugin
// that it had.
const pluginFile = "plugin"

// podsFile is what containerd reads of pods' networks.
const podsFile = "cni/10-lab.conflist"

func (l *lab) pluginOf(n node) (plugin, error) {
	b, err := os.ReadFile(l.in(n, pluginFile))
	if err != nil {
		return plugin{}, fmt.Errorf("read the node's plugin: %w", err)
	}
	p, ok := plugins[strings.TrimSpace(string(b))]
	if !ok {
		return plugin{}, fmt.Errorf("read the node's plugin: %s holds %q", l.in(n, pluginFile), b)
	}
	return p, nil
}

// connect makes the network path to the other nodes' pods where it is static. Flannel's
// agent makes it itself, and until it has, the node has no network.
func (l *lab) connect(n node, p plugin) error {
	if p.backend != "" {
		os.Remove(l.in(n, podsFile)) // of the time before the power was cut
		go l.flannelPods(n, p)
		return writeFile(l.in(n, flannelFile), flannelConfig(p.backend))
	}
	if err := commands(routes(n)); err != nil {
		return err
	}
	return l.tellPods(n, p, linkMTU)
}

// tellPods is what containerd waits for: a node has a network when this is there.
func (l *lab) tellPods(n node, p plugin, mtu int) error {
	return writeFile(l.in(n, podsFile), p.conflist(n, mtu))
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
