package packets

// This file takes the TCP segments of the server's port out of the packets, in order by
// connection.

import (
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/reassembly"
)

// reader has what the connections share.
type reader struct {
	port      layers.TCPPort
	each      func(Statement)
	seen      *Seen
	assembler *reassembly.Assembler
	held      int // bytes, see mostHeld
	open      int // connections
	number    int64
	// greetings and servers are those that were seen.
	greetings map[uint64]bool
	servers   map[gopacket.Endpoint]bool
	// flushed is the time of the capture at the last flush, waited the packets since.
	flushed time.Time
	waited  int
	padded  []byte
}

// Segments that arrive out of order wait for what is missing before them. What is missing for
// longer than the network needs to send it again was not captured.
const (
	waitFor      = time.Second
	mostWaiting  = 256     // pages of 1,900 bytes for a connection
	mostPages    = 1 << 14 // for all
	flushAtLeast = 512     // packets between two looks for what has waited
)

func newReader(port uint16, each func(Statement)) *reader {
	r := &reader{port: layers.TCPPort(port), each: each, seen: &Seen{}, greetings: map[uint64]bool{}, servers: map[gopacket.Endpoint]bool{}}
	r.assembler = reassembly.NewAssembler(reassembly.NewStreamPool(r))
	r.assembler.MaxBufferedPagesPerConnection, r.assembler.MaxBufferedPagesTotal = mostWaiting, mostPages
	return r
}

// segment is what a packet says of a segment beside its bytes.
type segment struct {
	info gopacket.CaptureInfo
	ack  uint32
	// cut is the number of bytes at its end that the capture does not have.
	cut int
}

func (s *segment) GetCaptureInfo() gopacket.CaptureInfo { return s.info }

// take assigns a packet to its connection.
func (r *reader) take(p captured) {
	r.seen.Packets++
	missing := max(0, p.info.Length-p.info.CaptureLength)
	decoded := gopacket.NewPacket(p.data, p.link, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
	var network gopacket.NetworkLayer
	all := decoded.Layers()
	if len(all) == 1 && all[0].LayerType() == gopacket.LayerTypeDecodeFailure {
		r.seen.Unknown++
		r.seen.Link = int(p.link)
	}
	for _, l := range all {
		if n, ok := l.(gopacket.NetworkLayer); ok {
			network = n // of the inner packet, in a tunnel
		}
		if _, ok := l.(*gopacket.Fragment); ok {
			r.seen.Fragments++
		}
		tcp, ok := l.(*layers.TCP)
		if !ok {
			continue
		}
		if network != nil && (tcp.DstPort == r.port || tcp.SrcPort == r.port) {
			r.segment(network.NetworkFlow(), tcp, p.info, missing)
		}
		return
	}
	if missing > 0 {
		r.seen.Cut++
	}
}

func (r *reader) segment(flow gopacket.Flow, tcp *layers.TCP, info gopacket.CaptureInfo, missing int) {
	now := milliseconds(info.Timestamp)
	if info.Timestamp.IsZero() {
		r.seen.Timeless++
	}
	if r.seen.Segments == 0 {
		r.seen.First, r.seen.Last, r.flushed = now, now, info.Timestamp
	}
	r.seen.Segments++
	r.seen.First, r.seen.Last = min(r.seen.First, now), max(r.seen.Last, now)
	if missing > 0 {
		r.seen.Cut++
		r.pad(tcp, missing)
	}
	info.AncillaryData = nil // the reader of the file uses it again
	r.assembler.AssembleWithContext(flow, tcp, &segment{info, tcp.Ack, missing})
	if r.waited++; r.waited >= flushAtLeast && info.Timestamp.Sub(r.flushed) >= waitFor {
		r.assembler.FlushWithOptions(reassembly.FlushOptions{T: info.Timestamp.Add(-waitFor)})
		r.waited, r.flushed = 0, info.Timestamp
	}
}

// longestSegment is what one IP packet can have.
const longestSegment = 1 << 16

// pad gives a segment that was captured in part its length, so that those behind it have their
// place. What it is padded with is not read: see segment.cut.
func (r *reader) pad(tcp *layers.TCP, missing int) {
	if missing > longestSegment {
		return
	}
	r.padded = append(r.padded[:0], tcp.Payload...)
	r.padded = append(r.padded, make([]byte, missing)...)
	tcp.Payload = r.padded
}

// New makes a connection for the assembler. Its first packet decides which side is the server.
func (r *reader) New(network, _ gopacket.Flow, tcp *layers.TCP, _ reassembly.AssemblerContext) reassembly.Stream {
	if !tcp.SYN && len(tcp.Payload) == 0 { // the last acknowledgement of one that has ended
		return nil
	}
	if r.open >= mostConnections {
		r.seen.Beyond++
		return nil
	}
	r.open++
	r.number++
	r.seen.Connections++
	fromClient := tcp.DstPort == r.port && (tcp.SrcPort != r.port || !tcp.SYN || !tcp.ACK)
	server := network.Src()
	if fromClient {
		server = network.Dst()
	}
	if len(r.servers) < mostConnections {
		r.servers[server] = true
	}
	r.seen.Servers = len(r.servers)
	return newConnection(r, r.number, fromClient)
}

// hold counts bytes that are kept; ok is false if there is no room.
func (r *reader) hold(n int) (ok bool) {
	if n > 0 && r.held+n > mostHeld {
		return false
	}
	r.held += n
	return true
}
