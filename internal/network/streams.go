package network

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// How long each transfer of a trial takes.
const (
	streamFor   = 200 * time.Millisecond
	datagramFor = 100 * time.Millisecond
)

// Streams measures transfers between the client and the server after a load: TCP over one
// connection and over four, in both directions, and UDP. Without a client on the network
// there is none.
func (n *Network) Streams(ctx context.Context) []record.Fact {
	if n == nil || !n.OverTCP() || n.settings.Client == SamePod {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, streamsWithin)
	defer cancel()
	server, client := n.place(n.ServerNamespace()), n.place(n.ClientNamespace())
	var facts []record.Fact
	for _, s := range []struct {
		key      string
		from, to place
		Stream
	}{
		{"network.stream", server, client, Stream{Connections: 1, For: streamFor}},
		{"network.streams", server, client, Stream{Connections: 4, For: streamFor}},
		{"network.upload", client, server, Stream{Connections: 1, For: streamFor}},
		{"network.uploads", client, server, Stream{Connections: 4, For: streamFor}},
		{"network.udp", server, client, Stream{UDP: true, Connections: 1, For: datagramFor}},
		{"network.udp_upload", client, server, Stream{UDP: true, Connections: 1, For: datagramFor}},
	} {
		facts = append(facts, n.streamFacts(ctx, s.key, s.from, s.to, s.Stream)...)
	}
	return facts
}

// MemberStreams measures transfers from the first member of a replicated database to another,
// numbered from 1, and back.
func (n *Network) MemberStreams(ctx context.Context, number int) []record.Fact {
	first := place{n.MemberNamespace(1), n.members[0]}
	other := place{n.MemberNamespace(number), n.members[number-1]}
	prefix := fmt.Sprintf(keys.ReplicationMemberPrefix+"%d.", number)
	s := Stream{Connections: 4, For: streamFor}
	facts := append(n.streamFacts(ctx, prefix+"streams", first, other, s), n.streamFacts(ctx, prefix+"uploads", other, first, s)...)
	for i := range facts {
		facts[i].Phase = "end"
	}
	return facts
}

// streamsWithin bounds them where the network loses packets.
const streamsWithin = 20 * time.Second

// place is an end of a transfer.
type place struct{ namespace, address string }

// place has the address that the other end uses for a namespace.
func (n *Network) place(namespace string) place {
	p := place{namespace: namespace}
	_ = Inside(namespace, func() error {
		all, err := net.InterfaceAddrs()
		for _, a := range all {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && ip.IP.IsGlobalUnicast() && p.address == "" {
				p.address = ip.IP.String()
			}
		}
		return err
	})
	return p
}

func (n *Network) streamFacts(ctx context.Context, key string, from, to place, s Stream) []record.Fact {
	kind := fmt.Sprintf("TCP, %d connections", s.Connections)
	if s.UDP {
		kind = fmt.Sprintf("UDP, datagrams of %d bytes", UDPPayload)
	}
	source := fmt.Sprintf("%s, for %v on the idle network", kind, s.For)
	got, err := n.Stream(ctx, from.namespace, to.namespace, to.address, s)
	if err != nil {
		return []record.Fact{{Key: key + ".bytes_per_s", Source: source, Unknown: err.Error()}}
	}
	number := func(name string, v float64, digits int) record.Fact {
		return record.Fact{Key: key + "." + name, Value: strconv.FormatFloat(v, 'f', digits, 64), Source: source}
	}
	softirq := number("softirq_ns_per_byte", got.SoftirqNS, 3)
	if got.BytesPerSecond == 0 {
		softirq.Value, softirq.Unknown = "", "nothing arrived"
	}
	facts := []record.Fact{number("bytes_per_s", got.BytesPerSecond, 0), softirq}
	if s.UDP {
		return append(facts, number("lost", got.Lost, 4))
	}
	return append(facts, number("retransmitted", float64(got.Retransmitted), 0), number("path_mtu", float64(got.PathMTU), 0))
}
