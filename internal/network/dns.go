package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsPort is where resolvers ask (RFC 1035, section 4.2).
const dnsPort = 53

// Resolver is the address of the cluster's DNS, "" where the pods have none.
func (n *Network) Resolver() string {
	if n == nil || n.settings.DNS == 0 {
		return ""
	}
	return nodeAddress
}

// addDNS starts the cluster's DNS on the server's node.
func (n *Network) addDNS(ctx context.Context) error {
	if n.settings.DNS == 0 {
		return nil
	}
	return n.startHelper(ctx, node, "dns", "--address", nodeAddress, "--delay", n.settings.DNS.String())
}

// RunDNS is the helper "dns": it answers every question, after a time, that there is
// no such name, which is what a cluster's DNS says of most pods' addresses, until
// stdin ends.
func RunDNS(address string, delay time.Duration, stdin io.Reader, stdout io.Writer) error {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(address), Port: dnsPort})
	if err != nil {
		return fmt.Errorf("answer DNS: %w", err)
	}
	if _, err := io.WriteString(stdout, ready); err != nil {
		return errors.Join(fmt.Errorf("answer DNS: %w", err), socket.Close())
	}
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // its end is all that counts
		_ = socket.Close()
	}()
	question := make([]byte, 4096)
	for {
		n, from, err := socket.ReadFromUDP(question)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("answer DNS: %w", err)
		}
		if answer, err := noSuchName(question[:n]); err == nil {
			time.AfterFunc(delay, func() { _, _ = socket.WriteToUDP(answer, from) }) // who does not hear it asks again
		}
	}
}

// noSuchName is the answer to a question, NXDOMAIN.
func noSuchName(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, fmt.Errorf("read DNS question: %w", err)
	}
	return (&dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true, RCode: dnsmessage.RCodeNameError},
		Questions: m.Questions,
	}).Pack()
}
