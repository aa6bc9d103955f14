package probe

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// networkInterfaces sums over the interfaces of the server's network namespace.
func networkInterfaces() Probe {
	return Probe{
		Name: "network", Help: "bytes, packets and drops of the server's network interfaces",
		Metrics: []record.Metric{
			counter(keys.NetworkReceivedBytes, "bytes", "bytes received"), counter(keys.NetworkSentBytes, "bytes", "bytes sent"),
			counter(keys.NetworkReceivedPackets, "1", "packets received"), counter(keys.NetworkSentPackets, "1", "packets sent"),
			cost(keys.NetworkDrops, "1", "packets dropped or in error, received and sent"),
			counter(keys.NetworkLoopbackBytes, "bytes", "received and sent bytes of the loopback interface"),
		},
		Start: inNamespace(func(p Place, put func(string, float64)) error {
			text, err := read(p.Root, p.proc("net/dev"))
			if err != nil {
				return err
			}
			all := sums{}
			for line := range strings.Lines(text) {
				name, rest, ok := strings.Cut(line, ":")
				f := strings.Fields(rest)
				if !ok || len(f) < 16 {
					continue
				}
				if strings.TrimSpace(name) == "lo" { // what it sends it receives
					v, _ := number(f[0])
					all[keys.NetworkLoopbackBytes] += v
				}
				for i, metric := range map[int]string{0: "received_bytes", 1: "received_packets", 2: "drops", 3: "drops", 8: "sent_bytes", 9: "sent_packets", 10: "drops", 11: "drops"} {
					v, _ := number(f[i])
					all["network."+metric] += v
				}
			}
			all.put(put)
			return nil
		}),
	}
}

// inNamespace reads what /proc/PID/net has of the server's namespace.
func inNamespace(f func(p Place, put func(string, float64)) error) func(Place) (Read, error) {
	return func(p Place) (Read, error) {
		if p.PID == 0 {
			return nil, p.elsewhere()
		}
		return func(_ context.Context, put func(string, float64)) error { return f(p, put) }, nil
	}
}

// tcp reads the counters of RFC 1213 and Linux's own (snmp_counter.rst).
func tcp() Probe {
	return Probe{
		Name: "tcp", Help: "TCP of the server's network namespace: retransmissions, time-outs, dropped connections; IP fragments",
		Metrics: []record.Metric{
			counter(keys.TCPSentSegments, "1", "segments sent, without retransmissions"), cost(keys.TCPRetransmitted, "1", "retransmitted segments"),
			cost(keys.TCPTimeouts, "1", "retransmission timeouts"), cost(keys.TCPTailProbes, "1", "tail loss probes sent"),
			counter(keys.TCPAccepted, "1", "connections accepted"), cost(keys.TCPListenDrops, "1", "connections dropped because a listen queue was full"),
			cost(keys.TCPSpurious, "1", "segments that the peer received twice (spurious retransmissions)"),
			cost(keys.IPFragments, "1", "fragments made"), cost(keys.IPFragmentationFailures, "1", "packets that were too large and had the Don't Fragment flag"),
			cost(keys.IPReassembled, "1", "fragments received that needed reassembly"),
		},
		Start: inNamespace(func(p Place, put func(string, float64)) error {
			for file, names := range map[string]map[string]string{
				"net/snmp": {
					"Tcp.OutSegs": keys.TCPSentSegments, "Tcp.RetransSegs": keys.TCPRetransmitted, "Tcp.PassiveOpens": keys.TCPAccepted,
					"Ip.FragCreates": keys.IPFragments, "Ip.FragFails": keys.IPFragmentationFailures, "Ip.ReasmReqds": keys.IPReassembled,
				},
				"net/netstat": {
					"TcpExt.TCPTimeouts": keys.TCPTimeouts, "TcpExt.TCPLossProbes": keys.TCPTailProbes, "TcpExt.ListenDrops": keys.TCPListenDrops,
					"TcpExt.TCPDSACKRecv": keys.TCPSpurious,
				},
			} {
				text, err := read(p.Root, p.proc(file))
				if err != nil {
					return err
				}
				rename(paired(text), names, 1, put)
			}
			return nil
		}),
	}
}

// softirq reads the whole machine's receive path.
func softirq() Probe {
	return Probe{
		Name: "softirq", Help: "the machine's receive path: network softirqs, packets dropped before any socket",
		Metrics: []record.Metric{
			counter(keys.SoftirqReceive, "1", "network receive softirqs"), counter(keys.SoftirqTransmit, "1", "network transmit softirqs"),
			counter(keys.SoftnetProcessed, "1", "packets taken from the backlog"), cost(keys.SoftnetDropped, "1", "packets dropped because the backlog was full"),
			cost(keys.SoftnetSqueezed, "1", "times that net_rx_action used up its budget"),
		},
		Start: func(p Place) (Read, error) {
			return func(_ context.Context, put func(string, float64)) error {
				if err := softirqs(p.Root, put); err != nil {
					return err
				}
				return hexadecimal(p.Root, "proc/net/softnet_stat", 0, map[int]string{0: keys.SoftnetProcessed, 1: keys.SoftnetDropped, 2: keys.SoftnetSqueezed}, put)
			}, nil
		},
	}
}

func softirqs(root fs.FS, put func(string, float64)) error {
	text, err := read(root, "proc/softirqs")
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		metric, ok := map[string]string{"NET_RX:": keys.SoftirqReceive, "NET_TX:": keys.SoftirqTransmit}[append(f, "")[0]]
		if !ok {
			continue
		}
		sum := 0.0
		for _, s := range f[1:] {
			v, _ := number(s)
			sum += v
		}
		put(metric, sum)
	}
	return nil
}

// hexadecimal sums columns over the lines of a file of hexadecimal numbers, one
// line a CPU, after so many lines of heading.
func hexadecimal(root fs.FS, name string, heading int, columns map[int]string, put func(string, float64)) error {
	text, err := read(root, name)
	if err != nil {
		return err
	}
	all := sums{}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n <= heading {
			continue
		}
		f := strings.Fields(line)
		for i, metric := range columns {
			if i < len(f) {
				v, _ := strconv.ParseUint(f[i], 16, 32) // 0 for what is not a number
				all[metric] += float64(v)
			}
		}
	}
	all.put(put)
	return nil
}

// sums are metrics that several lines of a file add up to.
type sums map[string]float64

func (s sums) put(put func(string, float64)) {
	for metric, v := range s {
		put(metric, v)
	}
}

// conntrack reads the table of connections that every Service's address fills.
func conntrack() Probe {
	return Probe{
		Name: "conntrack", Help: "the connection tracking table, its size and what it dropped",
		Metrics: []record.Metric{
			gauge(keys.ConntrackEntries, "1", "connections in the table"), gauge(keys.ConntrackMax, "1", "the table's size"),
			cost(keys.ConntrackDropped, "1", "packets dropped because the table was full"), cost(keys.ConntrackInsertFailed, "1", "entries that could not be made"),
		},
		Start: func(p Place) (Read, error) {
			if p.Remote {
				return nil, errors.New("the probes are in a network namespace of their own, and so is the table that they see")
			}
			if _, err := fs.Stat(p.Root, "proc/sys/net/netfilter/nf_conntrack_count"); err != nil {
				return nil, err
			}
			return func(_ context.Context, put func(string, float64)) error { return readConntrack(p, put) }, nil
		},
	}
}

// readConntrack adds drop and early_drop, columns 10 and 11 of the table.
func readConntrack(p Place, put func(string, float64)) error {
	for file, metric := range map[string]string{"nf_conntrack_count": keys.ConntrackEntries, "nf_conntrack_max": keys.ConntrackMax} {
		if v, err := single(p.Root, "proc/sys/net/netfilter/"+file); err == nil {
			put(metric, v)
		}
	}
	stat := "proc/net/stat/nf_conntrack"
	if p.PID != 0 {
		stat = p.proc("net/stat/nf_conntrack")
	}
	return hexadecimal(p.Root, stat, 1, map[int]string{9: keys.ConntrackInsertFailed, 10: keys.ConntrackDropped, 11: keys.ConntrackDropped}, put)
}
