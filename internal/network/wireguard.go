package network

// WireGuard between the nodes: keys are made for one network and are nowhere
// but in this process and the kernel.

import (
	"context"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// Flannel's (backend/wireguard).
const (
	wireguardLink = "flannel-wg"
	wireguardPort = 51820
)

// tunnelByWireGuard encrypts the pods' packets between the nodes, in the kernel.
func (n *Network) tunnelByWireGuard(context.Context) error {
	kind := tunnel{wireguardLink, "CONFIG_WIREGUARD", false, func(_, _ end, attrs netlink.LinkAttrs, _ int) netlink.Link {
		return &netlink.Wireguard{LinkAttrs: attrs}
	}}
	keys := map[end]wgtypes.Key{}
	for _, e := range n.settings.ends() {
		key, err := wgtypes.GeneratePrivateKey()
		if err != nil {
			return fmt.Errorf("make key: %w", err)
		}
		keys[e] = key
	}
	for _, e := range n.settings.ends() {
		peers := n.settings.peers(e)
		if _, err := n.addTunnel(kind, e, peers[0]); err != nil {
			return err
		}
		config, err := peerConfig(keys, e, peers)
		if err != nil {
			return err
		}
		if err := Inside(n.path(e.name), func() error { return configureWireGuard(config) }); err != nil {
			return err
		}
		for _, peer := range peers {
			if err := n.route(e.name, wireguardLink, peer.pods, "", 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// peerConfig is a node's key, and the other nodes as its peers.
func peerConfig(keys map[end]wgtypes.Key, own end, peers []end) (wgtypes.Config, error) {
	key, port := keys[own], wireguardPort
	c := wgtypes.Config{PrivateKey: &key, ListenPort: &port, ReplacePeers: true}
	for _, peer := range peers {
		_, pods, err := net.ParseCIDR(peer.pods) // the tunnel's address is one of them
		if err != nil {
			return wgtypes.Config{}, fmt.Errorf("read network %s: %w", peer.pods, err)
		}
		c.Peers = append(c.Peers, wgtypes.PeerConfig{
			PublicKey: keys[peer].PublicKey(), Endpoint: &net.UDPAddr{IP: net.ParseIP(peer.address), Port: port}, AllowedIPs: []net.IPNet{*pods},
		})
	}
	return c, nil
}

// configureWireGuard gives it to the link in the calling thread's namespace.
func configureWireGuard(config wgtypes.Config) error {
	c, err := wgctrl.New()
	if err != nil {
		return fmt.Errorf("configure WireGuard: %w", err)
	}
	defer func() { _ = c.Close() }() // the kernel has the configuration
	if err := c.ConfigureDevice(wireguardLink, config); err != nil {
		return fmt.Errorf("configure WireGuard: %w", err)
	}
	return nil
}
