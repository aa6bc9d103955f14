package probe

// This file reads the connections of a running server: which of them wait for segments that
// never arrive, and how large their packets are in a tunnel of the server's node.

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/record"
)

// OfRunning read more of a server in a network namespace of its own that another program
// loads. A server that tare starts does not need them: its client's round trips and its
// nodes' counters are facts of its trial.
func OfRunning() []Probe { return []Probe{connections(), nodeNetwork(), clients()} }

// connections asks the kernel for TCP_INFO of the server's connections (sock_diag(7)), in the
// server's network namespace. That takes CAP_SYS_ADMIN.
func connections() Probe {
	return Probe{
		Name: "tcp.connections", Help: "connections of the server that wait for acknowledgements of large segments",
		Metrics: []record.Metric{
			gauge(keys.TCPLargeWaiting, "1", "connections with more than one full segment unacknowledged"),
			gauge(keys.TCPLargeUnanswered, "1", "of the connections with more than one full segment unacknowledged: those with three or more consecutive timeouts of earlier segments, and a later segment acknowledged"),
		},
		GoesOn: true,
		Start: func(p Place) (Read, error) {
			port, err := p.port()
			if err != nil {
				return nil, err
			}
			if _, err := p.connections(port); err != nil {
				return nil, err
			}
			return func(_ context.Context, put func(string, float64)) error {
				all, err := p.connections(port)
				if err != nil {
					return err
				}
				waiting, unanswered := 0, 0
				for _, c := range all {
					if c.waits() {
						waiting++
					}
					if c.unanswered() {
						unanswered++
					}
				}
				put(keys.TCPLargeWaiting, float64(waiting))
				put(keys.TCPLargeUnanswered, float64(unanswered))
				return nil
			}, nil
		},
	}
}

// connection is one of the server's.
type connection struct {
	peer net.IP
	port uint16 // of the peer
	info netlink.TCPInfo
}

// waits says that more than a full segment has been sent and is not acknowledged. Segments
// of less than the full size are the last of what was written.
func (c connection) waits() bool { return c.info.Unacked >= 2 }

// unansweredFrom is how often the same segment has timed out in a row, which takes 1.4 s. At
// random that happens to one lost segment in 16,000 where 2 % are lost in each direction.
const unansweredFrom = 3

// unanswered says that small packets pass and large ones do not: the peer has acknowledged a
// later segment (RFC 2018, selective acknowledgement), and the ones before it, which fill
// the segment size, have been sent again and again. Where nothing at all passes, as when the
// peer is gone, nothing is acknowledged selectively.
func (c connection) unanswered() bool {
	return c.waits() && c.info.Retransmits >= unansweredFrom && c.info.Sacked > 0 && c.info.Unacked > c.info.Sacked
}

// port is that at which the server listens for clients.
func (p Place) port() (port int, err error) {
	if p.PID == 0 || p.DB == nil {
		return 0, p.elsewhere()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.DB.QueryRowContext(ctx, "SELECT @@port").Scan(&port); err != nil {
		return 0, fmt.Errorf("read the server's port: %w", err)
	}
	return port, nil
}

// connections are those of clients at the port.
func (p Place) connections(port int) (all []connection, err error) {
	err = network.Inside("/"+p.proc("ns/net"), func() error {
		var failed error
		for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
			found, err := netlink.SocketDiagTCPInfo(family)
			if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
				failed = errors.Join(failed, err)
			}
			for _, s := range found {
				if s.TCPInfo != nil && s.InetDiagMsg != nil && int(s.InetDiagMsg.ID.SourcePort) == port && s.InetDiagMsg.State != netlink.TCP_LISTEN {
					all = append(all, connection{s.InetDiagMsg.ID.Destination, s.InetDiagMsg.ID.DestinationPort, *s.TCPInfo})
				}
			}
		}
		if len(all) > 0 { // a kernel without IPv6 has no such sockets
			return nil
		}
		return failed
	})
	if err != nil {
		return nil, fmt.Errorf("read the server's connections: %w", err)
	}
	return all, nil
}
