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
	kind := tunnel{wireguardLink, "CONFIG_WIREGUARD", func(_, _ end, attrs netlink.LinkAttrs, _ int) netlink.Link {
		return &netlink.Wireguard{LinkAttrs: attrs}
	}}
	var keys [2]wgtypes.Key
	for i := range keys {
		key, err := wgtypes.GeneratePrivateKey()
		if err != nil {
			return fmt.Errorf("make key: %w", err)
		}
		keys[i] = key
	}
	for i, e := range ends() {
		peer := ends()[1-i]
		if _, err := n.addTunnel(kind, e, peer); err != nil {
			return err
		}
		config, err := peerConfig(keys[i], keys[1-i].PublicKey(), peer)
		if err != nil {
			return err
		}
		if err := Inside(n.path(e.name), func() error { return configureWireGuard(config) }); err != nil {
			return err
		}
		if err := n.route(e.name, wireguardLink, peer.pods, "", 0); err != nil {
			return err
		}
	}
	return nil
}

// peerConfig is a node's key, and the other node as its only peer.
func peerConfig(own, theirs wgtypes.Key, peer end) (wgtypes.Config, error) {
	_, pods, err := net.ParseCIDR(peer.pods) // the tunnel's address is one of them
	if err != nil {
		return wgtypes.Config{}, fmt.Errorf("read network %s: %w", peer.pods, err)
	}
	port := wireguardPort
	return wgtypes.Config{PrivateKey: &own, ListenPort: &port, ReplacePeers: true, Peers: []wgtypes.PeerConfig{{
		PublicKey: theirs, Endpoint: &net.UDPAddr{IP: net.ParseIP(peer.address), Port: port}, AllowedIPs: []net.IPNet{*pods},
	}}}, nil
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
