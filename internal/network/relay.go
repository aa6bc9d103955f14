package network

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// RunRelay is the helper "relay": it makes a TUN link, and sends what the kernel
// routes into it to the peer that has the network of its destination, a UDP packet for
// each, and back, until stdin ends (Documentation/networking/tuntap.rst). Peers are
// written NETWORK=ADDRESS. The link ends with the process.
func RunRelay(tun, local string, peers []string, stdin io.Reader, stdout io.Writer) error {
	table, err := relayTable(peers)
	if err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	link, err := openTUN(tun)
	if err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	defer link.Close()
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(local), Port: relayPort})
	if err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	defer func() { _ = socket.Close() }() // the process ends with it
	if _, err := io.WriteString(stdout, ready); err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	ended := make(chan error, 3)
	go func() { ended <- pass(link, relayed{socket, table}) }()
	go func() { ended <- pass(socket, link) }()
	go func() { _, err := io.Copy(io.Discard, stdin); ended <- err }()
	if err := <-ended; err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	return nil
}

// relayPeer is where the packets to a network go.
type relayPeer struct {
	network *net.IPNet
	address *net.UDPAddr
}

func relayTable(peers []string) ([]relayPeer, error) {
	var table []relayPeer
	for _, p := range peers {
		subnet, address, _ := strings.Cut(p, "=")
		_, network, err := net.ParseCIDR(subnet)
		if err != nil {
			return nil, fmt.Errorf("read peer %q: %w", p, err)
		}
		ip := net.ParseIP(address)
		if ip == nil {
			return nil, fmt.Errorf("read peer %q: expected NETWORK=ADDRESS", p)
		}
		table = append(table, relayPeer{network, &net.UDPAddr{IP: ip, Port: relayPort}})
	}
	return table, nil
}

// relayed writes a packet to the peer that has its destination (RFC 791, section 3.1:
// bytes 16 to 19). A packet without a receiver is lost, as in any network.
type relayed struct {
	socket *net.UDPConn
	table  []relayPeer
}

func (r relayed) Write(packet []byte) (int, error) {
	if len(packet) < 20 {
		return 0, nil
	}
	for _, p := range r.table {
		if p.network.Contains(net.IP(packet[16:20])) {
			return r.socket.WriteToUDP(packet, p.address)
		}
	}
	return len(packet), nil
}

// pass copies packets one by one. A packet that the other side does not take is
// lost, as on any link: the peer may not be there yet.
func pass(from io.Reader, to io.Writer) error {
	packet := make([]byte, 1<<16)
	for {
		n, err := from.Read(packet)
		if errors.Is(err, unix.ECONNREFUSED) {
			continue
		}
		if err != nil {
			return err
		}
		_, _ = to.Write(packet[:n])
	}
}

// openTUN makes a TUN link in the network namespace of the process.
func openTUN(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("name TUN link %q: %w", name, err), unix.Close(fd))
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, errors.Join(fmt.Errorf("make TUN link: %w", err), unix.Close(fd))
	}
	// Not blocking, so that Go's poller waits for it and Close wakes a reader.
	return os.NewFile(uintptr(fd), "/dev/net/tun"), nil
}
