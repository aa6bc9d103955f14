package network

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// RunRelay is the helper "relay": it makes a TUN link, and sends what the kernel
// routes into it to the peer, a UDP packet for each, and back, until stdin ends
// (Documentation/networking/tuntap.rst). The link ends with the process.
func RunRelay(tun, local, peer string, stdin io.Reader, stdout io.Writer) error {
	link, err := openTUN(tun)
	if err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	defer link.Close()
	socket, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.ParseIP(local), Port: relayPort}, &net.UDPAddr{IP: net.ParseIP(peer), Port: relayPort})
	if err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	defer func() { _ = socket.Close() }() // the process ends with it
	if _, err := io.WriteString(stdout, ready); err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	ended := make(chan error, 3)
	go func() { ended <- pass(link, socket) }()
	go func() { ended <- pass(socket, link) }()
	go func() { _, err := io.Copy(io.Discard, stdin); ended <- err }()
	if err := <-ended; err != nil {
		return fmt.Errorf("relay packets: %w", err)
	}
	return nil
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
