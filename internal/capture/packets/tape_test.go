package packets

// This file makes captures for tests: segments of connections in the frames of any link type.

import (
	"bytes"
	"encoding/binary"
	"math"
	"net"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// tape is a capture that is being made. Each packet comes a millisecond after the one before.
type tape struct {
	t     testing.TB
	file  bytes.Buffer
	write func(gopacket.CaptureInfo, []byte) error
	now   time.Time
	snap  int // bytes that are kept of a packet
	// frame puts an IP packet into what the link type has around it.
	frame func(ip []byte) []byte
	six   bool // IPv6
	ports uint16
	// held are packets that come after the next one.
	hold bool
	held [][]byte
}

func newTape(t testing.TB) *tape { return newTapeOf(t, layers.LinkTypeRaw, false) }

func newTapeOf(t testing.TB, link layers.LinkType, next bool) *tape {
	r := &tape{t: t, now: time.Unix(1_800_000_000, 0), snap: math.MaxInt, frame: func(ip []byte) []byte { return ip }, ports: 40000}
	if next {
		w, err := pcapgo.NewNgWriter(&r.file, link)
		if err != nil {
			t.Fatal(err)
		}
		r.write = func(info gopacket.CaptureInfo, b []byte) error {
			if err := w.WritePacket(info, b); err != nil {
				return err
			}
			return w.Flush()
		}
		return r
	}
	w := pcapgo.NewWriterNanos(&r.file)
	if err := w.WriteFileHeader(1<<18, link); err != nil {
		t.Fatal(err)
	}
	r.write = w.WritePacket
	return r
}

func (r *tape) packet(ip []byte) {
	b := r.frame(ip)
	if r.hold {
		r.hold, r.held = false, append(r.held, b)
		return
	}
	for _, b := range append([][]byte{b}, r.held...) {
		r.now = r.now.Add(time.Millisecond)
		info := gopacket.CaptureInfo{Timestamp: r.now, Length: len(b), CaptureLength: min(len(b), r.snap)}
		if err := r.write(info, b[:info.CaptureLength]); err != nil {
			r.t.Fatal(err)
		}
	}
	r.held = nil
}

// peers are both sides of a connection.
type peers struct {
	*tape
	port           uint16 // the client's
	serverIP       net.IP
	sent, answered uint32 // sequence numbers
	dropping       bool   // the next segment is not captured
}

// connect opens a connection without a capture of what came before, unless the login follows.
func (r *tape) connect() *peers {
	r.ports++
	return &peers{tape: r, port: r.ports, serverIP: net.IPv4(10, 0, 0, 2), sent: math.MaxUint32 - 40, answered: 7000}
}

func (p *peers) segment(fromClient bool, syn, fin bool, payload []byte) {
	tcp := &layers.TCP{SrcPort: layers.TCPPort(p.port), DstPort: 3306, Seq: p.sent, Ack: p.answered, ACK: true, SYN: syn, FIN: fin, Window: 65535}
	from, to := net.IPv4(10, 0, 0, 1), p.serverIP
	next := &p.sent
	if !fromClient {
		tcp.SrcPort, tcp.DstPort, tcp.Seq, tcp.Ack = tcp.DstPort, tcp.SrcPort, p.answered, p.sent
		from, to, next = to, from, &p.answered
	} else if syn {
		tcp.ACK = false
	}
	*next += uint32(len(payload))
	if syn || fin {
		*next++
	}
	if p.dropping {
		p.dropping = false
		return
	}
	var ip gopacket.SerializableLayer
	if p.six {
		six := &layers.IPv6{Version: 6, NextHeader: layers.IPProtocolTCP, HopLimit: 64, SrcIP: from.To16(), DstIP: to.To16()}
		_ = tcp.SetNetworkLayerForChecksum(six)
		ip = six
	} else {
		four := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolTCP, SrcIP: from.To4(), DstIP: to.To4()}
		_ = tcp.SetNetworkLayerForChecksum(four)
		ip = four
	}
	b := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, ip, tcp, gopacket.Payload(payload)); err != nil {
		p.t.Fatal(err)
	}
	p.packet(bytes.Clone(b.Bytes()))
}

func (p *peers) client(parts ...[]byte) { p.segment(true, false, false, bytes.Join(parts, nil)) }
func (p *peers) server(parts ...[]byte) { p.segment(false, false, false, bytes.Join(parts, nil)) }

func (p *peers) end() {
	p.client(message(0, []byte{1}))
	p.segment(true, false, true, nil)
	p.segment(false, false, true, nil)
	p.client()
}

// handshake begins a connection with capabilities and a schema.
func (p *peers) handshake(flags uint32, schema string) *peers {
	p.segment(true, true, false, nil)
	p.segment(false, true, false, nil)
	p.client()
	p.server(message(0, bytes.Join([][]byte{{10}, []byte("9.7.4\x00"), {byte(p.port), 2, 3, 4}, []byte("saltsalt\x00"), make([]byte, 20)}, nil)))
	const protocol41, secure, withSchema = 1 << 9, 1 << 15, 1 << 3
	b := binary.LittleEndian.AppendUint32(nil, flags|protocol41|secure|withSchema)
	b = append(append(b, make([]byte, 28)...), "app\x00\x02xx"...)
	p.client(message(1, append(append(b, schema...), 0)))
	p.server(message(2, okay(0)))
	return p
}

// message is a packet of the MySQL protocol.
func message(sequence byte, payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), sequence}, payload...)
}

func query(text string) []byte { return message(0, append([]byte{3}, text...)) }

func okay(status byte) []byte { return []byte{0, 1, 0, status, 0, 0, 0} }

func failure(code uint16) []byte {
	return append([]byte{0xff, byte(code), byte(code >> 8)}, "#40001secret"...)
}

func eof(status byte) []byte { return []byte{0xfe, 0, 0, status, 0} }

// set is a result with one column and so many rows, ended by EOF or, without it, by OK.
func set(rows int, withEOF bool, status byte) []byte {
	definition := append([]byte{3}, "def"...)
	parts := [][]byte{{1}, definition}
	if withEOF {
		parts = append(parts, eof(status&^8))
	}
	for range rows {
		parts = append(parts, append([]byte{6}, "secret"...))
	}
	if parts = append(parts, []byte{0xfe, 0, 0, status, 0, 0, 0}); withEOF {
		parts[len(parts)-1] = eof(status)
	}
	var out []byte
	for i, p := range parts {
		out = append(out, message(byte(i+1), p)...)
	}
	return out
}
