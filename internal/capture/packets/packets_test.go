package packets

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// statements reads a capture into lines: text, schema, values, rows or what became of it, and
// the transaction.
func statements(t testing.TB, file []byte) ([]string, *Seen) {
	t.Helper()
	var all []string
	seen, err := Read(bytes.NewReader(file), 3306, func(s Statement) {
		line := s.Text + " in " + s.Schema
		for _, v := range s.Values {
			switch {
			case v.Unknown:
				line += " unknown"
			case v.Null:
				line += " NULL"
			default:
				line += " " + string(v.AppendText(nil))
			}
		}
		switch {
		case s.Failed:
			line += ": failed"
		case s.Answered:
			line += fmt.Sprintf(": %v rows", s.Rows)
		default:
			line += ": no answer"
		}
		if s.Transaction > 0 {
			line += fmt.Sprintf(", transaction %d", s.Transaction)
		}
		if s.Gap {
			line += ", gap"
		}
		if s.Answered != (s.End-s.Start > 0.9) || !s.Answered && !math.IsNaN(s.End) {
			t.Errorf("%s: from %v to %v", s.Text, s.Start, s.End)
		}
		all = append(all, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, seen
}

// execute is a COM_STMT_EXECUTE of a statement with a whole number, a text and NULL.
func execute(id byte, number int32, text string, types bool) []byte {
	b := []byte{0x17, id, 0, 0, 0, 0, 1, 0, 0, 0, 0b100, 0}
	if types {
		b[11] = 1
		b = append(b, 3, 0, 253, 0, 253, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(number))
	return message(0, append(append(b, byte(len(text))), text...))
}

// preparedOK is the answer to a COM_STMT_PREPARE of three parameters.
func preparedOK(id byte, withEOF bool) []byte {
	out := message(1, []byte{0, id, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0})
	for i := range byte(3) {
		out = append(out, message(2+i, []byte("\x03def"))...)
	}
	if withEOF {
		out = append(out, message(5, eof(2))...)
	}
	return out
}

// TestRead: what a client sent in each form of the protocol, and what is lost of it.
func TestRead(t *testing.T) {
	const deprecateEOF, attributes, tls, compressed = 1 << 24, 1 << 27, 1 << 11, 1 << 5
	for name, c := range map[string]struct {
		send func(p *peers)
		want []string
		note string // of what is not seen; "" for none
	}{
		"text": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(query("SELECT 1"))
			p.server(set(3, true, 2))
			p.client(query("UPDATE t"))
			p.server(message(1, okay(2)))
			p.client(query("bad"))
			p.server(message(1, failure(1064)))
			p.end()
		}, []string{"SELECT 1 in shop: 3 rows", "UPDATE t in shop: 0 rows", "bad in shop: failed"}, ""},
		"OK instead of EOF": {func(p *peers) {
			p.handshake(deprecateEOF, "shop")
			for _, n := range []int{0, 2} {
				p.client(query("SELECT 1"))
				p.server(set(n, false, 2))
			}
		}, []string{"SELECT 1 in shop: 0 rows", "SELECT 1 in shop: 2 rows"}, ""},
		"transactions": {func(p *peers) {
			p.handshake(0, "shop")
			for _, status := range []byte{1, 1, 0, 0, 1, 0} {
				p.client(query("S"))
				p.server(message(1, okay(status)))
			}
			p.client(query("S"))
			p.server(message(1, okay(1)))
			p.client(query("S"))
			p.server(message(1, failure(1213)))
			p.client(query("S"))
			p.server(message(1, okay(1)))
		}, []string{"S in shop: 0 rows, transaction 1", "S in shop: 0 rows, transaction 1", "S in shop: 0 rows", "S in shop: 0 rows",
			"S in shop: 0 rows, transaction 2", "S in shop: 0 rows", "S in shop: 0 rows, transaction 3", "S in shop: failed", "S in shop: 0 rows, transaction 4"}, ""},
		"schemas": {func(p *peers) {
			p.handshake(0, "a")
			p.client(message(0, []byte("\x02b")))
			p.server(message(1, okay(2)))
			p.client(query("S"))
			p.server(message(1, okay(2)))
			p.client(query("use `c`;"))
			p.server(message(1, okay(2)))
			p.client(query("S"))
			p.server(message(1, okay(2)))
			p.client(message(0, []byte("\x11user\x00\x02xxd\x00")))
			p.server(message(1, []byte("\xfeplugin")))
			p.client(message(2, []byte("secret")))
			p.server(message(3, okay(2)))
			p.client(query("S"))
			p.server(message(1, okay(2)))
		}, []string{"S in b: 0 rows", "use `c`; in b: 0 rows", "S in c: 0 rows", "S in d: 0 rows"}, ""},
		"prepared": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(message(0, []byte("\x16P ? ? ?")))
			p.server(preparedOK(9, true))
			p.client(execute(9, -5, "x", true))
			p.server(set(1, true, 2))
			p.client(execute(9, 6, "yy", false))
			p.server(set(1, true, 2))
			p.client(message(0, []byte{0x18, 9, 0, 0, 0, 1, 0, 'z'}), message(0, []byte{0x17, 9, 0, 0, 0, 0, 1, 0, 0, 0, 0b100, 0, 7, 0, 0, 0}))
			p.server(set(1, true, 2))
			p.client(message(0, []byte{0x19, 9, 0, 0, 0}))
			p.client(execute(9, 6, "yy", false))
			p.server(message(1, failure(1243)))
		}, []string{"P ? ? ? in shop -5 x NULL: 1 rows", "P ? ? ? in shop 6 yy NULL: 1 rows", "P ? ? ? in shop 7 unknown NULL: 1 rows"}, "1 executions of prepared statements have a COM_STMT_PREPARE"},
		"several commands at once": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(message(0, []byte("\x16P ? ? ?")), query("SELECT 2"), query("SELECT 3"))
			p.server(preparedOK(9, true), set(2, true, 2)[:7])
			p.server(set(2, true, 2)[7:])
			p.server(set(3, true, 2))
			p.client(execute(9, 1, "x", true))
			p.server(set(4, true, 2))
		}, []string{"SELECT 2 in shop: 2 rows", "SELECT 3 in shop: 3 rows", "P ? ? ? in shop 1 x NULL: 4 rows"}, ""},
		"results, a cursor and a file": {func(p *peers) {
			p.handshake(deprecateEOF, "shop")
			p.client(query("CALL p"))
			first := set(2, true, 8)
			second := set(1, true, 2)
			for at := 0; at < len(second); at += 4 + int(second[at]) {
				second[at+3] += 6
			}
			p.server(first, second)
			p.client(query("CURSOR"))
			p.server(message(1, []byte{1}), message(2, []byte("\x03def")), message(3, eof(0x40)))
			p.client(message(0, []byte{0x1c, 1, 0, 0, 0, 9, 0, 0, 0}))
			p.server(message(1, []byte("\x00\x00x")), message(2, eof(0x80)))
			p.client(query("LOAD"))
			p.server(message(1, []byte("\xfbsecret")))
			p.client(message(2, []byte("secret")), message(3, nil))
			p.server(message(4, okay(2)))
		}, []string{"CALL p in shop: 3 rows", "CURSOR in shop: 0 rows", "LOAD in shop: 0 rows"}, ""},
		"query attributes": {func(p *peers) {
			p.handshake(attributes, "shop")
			p.client(query("\x00\x01SELECT 1"))
			p.server(set(1, true, 2))
			p.client(query("\x01\x01\x00\x01\xfd\x00\x05trace\x06secretSELECT 2"))
			p.server(set(1, true, 2))
		}, []string{"SELECT 1 in shop: 1 rows", "SELECT 2 in shop: 1 rows"}, ""},
		"a long answer": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(query("SELECT 1"))
			long := append([]byte{0xfd, 0, 0, 4}, make([]byte, 1<<18)...)
			answer := append(set(0, true, 2)[:len(set(0, true, 2))-9], message(4, long)...)
			for answer = append(answer, message(5, eof(2))...); len(answer) > 0; answer = answer[min(len(answer), 1400):] {
				p.server(answer[:min(len(answer), 1400)])
			}
		}, []string{"SELECT 1 in shop: 1 rows"}, ""},
		"in another order": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(query("SELECT 1"))
			a := set(9, true, 2)
			p.hold = true
			p.server(a[:20])
			p.server(a[20:])
			p.client(query("SELECT 2"))
			p.server(set(1, true, 2))
		}, []string{"SELECT 1 in shop: 9 rows", "SELECT 2 in shop: 1 rows"}, ""},
		"the answer before its command": {func(p *peers) {
			p.handshake(0, "shop")
			p.hold = true
			p.client(query("SELECT 1"))
			p.server(set(9, true, 2))
			p.client(query("SELECT 2"))
			p.server(set(1, true, 2))
		}, []string{"SELECT 1 in shop: no answer, gap", "SELECT 2 in shop: 1 rows"}, "1 statements have no answer"},
		"a command is lost": {func(p *peers) {
			p.handshake(0, "shop")
			p.dropping = true
			p.client(query("SELECT 1"))
			p.server(set(9, true, 2))
			for n := range 400 {
				p.client(query(fmt.Sprint("SELECT ", n)))
				p.server(set(1, true, 2))
			}
		}, nil, "packets are missing (13 bytes)"},
		"an answer is lost": {func(p *peers) {
			p.handshake(0, "shop")
			p.client(query("SELECT 1"))
			p.dropping = true
			p.server(set(9, true, 2))
			p.client(query("SELECT 2"))
			p.server(set(1, true, 2))
		}, []string{"SELECT 1 in shop: no answer, gap", "SELECT 2 in shop: no answer, gap"}, "2 statements have no answer"},
		"cut": {func(p *peers) {
			p.handshake(0, "shop")
			p.snap = 100
			p.client(query("SELECT '" + strings.Repeat("secret", 100) + "'"))
			p.server(set(1, true, 2))
			p.client(query("SELECT 2"))
			p.server(set(50, true, 2))
			p.client(query("SELECT 3"))
			p.server(set(1, true, 2))
		}, []string{"SELECT 2 in shop: no answer, gap", "SELECT 3 in shop: 1 rows"}, "2 packets were captured in part"},
		"TLS": {func(p *peers) {
			p.segment(true, true, false, nil)
			p.segment(false, true, false, nil)
			p.client(message(1, append(binary.LittleEndian.AppendUint32(nil, tls|1<<9), make([]byte, 28)...)))
			p.client([]byte("\x16\x03\x01\x00\x05hello"))
		}, nil, "1 of 1 connections use TLS"},
		"TLS from the middle": {func(p *peers) { p.client([]byte("\x17\x03\x03\x00\x05hello")) }, nil, "1 of 1 connections use TLS"},
		"compressed":          {func(p *peers) { p.handshake(compressed, "shop"); p.client([]byte("x")) }, nil, "1 of 1 connections use compression"},
		"from the middle": {func(p *peers) {
			p.server([]byte("the end of an answer"))
			p.client([]byte("the end of a command"))
			p.client(execute(9, 1, "x", true))
			p.server(set(1, true, 2))
			p.client(query("\x00\x01SELECT 1"))
			p.server(set(2, false, 2))
		}, []string{"SELECT 1 in : 2 rows, gap"}, "1 of 1 connections began before the capture"},
		"the client alone": {func(p *peers) {
			p.client(query("SELECT 1"))
			p.client(query("SELECT 2"))
		}, []string{"SELECT 1 in : no answer", "SELECT 2 in : no answer"}, "2 statements have no answer"},
		"a replica": {func(p *peers) {
			p.handshake(0, "")
			p.client(message(0, []byte("\x12xxxx")))
			p.server(message(1, []byte("\x00secret")))
		}, nil, "1 of 1 connections are those of replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTape(t)
			c.send(r.connect())
			got, seen := statements(t, r.file.Bytes())
			if name == "a command is lost" { // those that waited for what was lost are left out
				if len(got) < 100 || !strings.HasSuffix(got[0], "gap") || strings.Contains(strings.Join(got[1:], "\n"), "gap") || strings.Contains(strings.Join(got, "\n"), "no answer") {
					t.Errorf("%d statements: %s", len(got), got[:min(len(got), 3)])
				}
			} else if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			notes := strings.Join(seen.Notes(), "\n")
			if !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			if strings.Contains(notes, "secret") || strings.Contains(strings.Join(got, ""), "secret") {
				t.Errorf("%s\n%s", got, notes)
			}
		})
	}
}

// TestLinks: the frames of every link type, IPv4 and IPv6, and both formats of files.
func TestLinks(t *testing.T) {
	around := func(head ...byte) func([]byte) []byte {
		return func(ip []byte) []byte { return append(bytes.Clone(head), ip...) }
	}
	ethernet := make([]byte, 12)
	cooked := []byte{0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0}
	cooked2 := []byte{8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0}
	for name, c := range map[string]struct {
		link layers.LinkType
		head []byte
		six  bool
	}{
		"Ethernet": {layers.LinkTypeEthernet, append(bytes.Clone(ethernet), 8, 0), false}, "VLAN": {layers.LinkTypeEthernet, append(bytes.Clone(ethernet), 0x81, 0, 0, 5, 8, 0), false},
		"IPv6": {layers.LinkTypeEthernet, append(bytes.Clone(ethernet), 0x86, 0xdd), true}, "raw": {layers.LinkTypeRaw, nil, false}, "raw IPv6": {layers.LinkTypeRaw, nil, true},
		"cooked": {layers.LinkTypeLinuxSLL, cooked, false}, "cooked 2": {layers.LinkTypeLinuxSLL2, cooked2, false}, "loopback": {layers.LinkTypeNull, []byte{2, 0, 0, 0}, false},
	} {
		for _, next := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " pcapng ", next), func(t *testing.T) {
				r := newTapeOf(t, c.link, next)
				r.frame, r.six = around(c.head...), c.six
				p := r.connect().handshake(0, "shop")
				p.client(query("SELECT 1"))
				p.server(set(3, true, 2))
				got, seen := statements(t, r.file.Bytes())
				if d := cmp.Diff([]string{"SELECT 1 in shop: 3 rows"}, got); d != "" || len(seen.Notes()) > 0 || seen.Version != "9.7.4" {
					t.Errorf("%s %q %s", d, seen.Notes(), seen.Version)
				}
			})
		}
	}
}

// TestTunnel: packets within those of VXLAN, and packets that several interfaces of one machine
// have seen.
func TestTunnel(t *testing.T) {
	send := func(r *tape) {
		p := r.connect().handshake(0, "shop")
		for range 3 {
			p.client(query("SELECT 1"))
			p.server(set(3, true, 2))
		}
		p.end()
	}
	tunnel := newTapeOf(t, layers.LinkTypeEthernet, false)
	tunnel.frame = func(ip []byte) []byte {
		mac := net.HardwareAddr{2, 0, 0, 0, 0, 1}
		outer := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.IPv4(192, 168, 0, 1), DstIP: net.IPv4(192, 168, 0, 2)}
		udp := &layers.UDP{SrcPort: 50000, DstPort: 4789}
		_ = udp.SetNetworkLayerForChecksum(outer)
		b := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: layers.EthernetTypeIPv4}, outer, udp,
			&layers.VXLAN{ValidIDFlag: true, VNI: 1}, &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: layers.EthernetTypeIPv4}, gopacket.Payload(ip)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	send(tunnel)
	twice := newTape(t)
	write := twice.write
	twice.write = func(info gopacket.CaptureInfo, b []byte) error {
		return errors.Join(write(info, b), write(info, b))
	}
	send(twice)
	for name, r := range map[string]*tape{"tunnel": tunnel, "every packet twice": twice} {
		got, seen := statements(t, r.file.Bytes())
		if len(got) != 3 || got[2] != "SELECT 1 in shop: 3 rows" || len(seen.Notes()) > 0 || seen.Connections != 1 {
			t.Errorf("%s: %q %q", name, got, seen.Notes())
		}
	}
}

// TestFiles: a file that gzip has compressed, one that ends within a packet, and no capture.
func TestFiles(t *testing.T) {
	r := newTape(t)
	p := r.connect().handshake(0, "shop")
	p.client(query("SELECT 1"))
	p.server(set(3, true, 2))
	want, _ := statements(t, r.file.Bytes())
	p.client(query("SELECT 2"))
	got, seen := statements(t, r.file.Bytes()[:r.file.Len()-3])
	if d := cmp.Diff(want, got); d != "" || !seen.Incomplete {
		t.Errorf("%s %+v", d, seen)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(r.file.Bytes())
	z.Close()
	if got, seen = statements(t, packed.Bytes()); len(got) != 2 || seen.Incomplete {
		t.Errorf("%s %+v", got, seen)
	}
	for _, none := range []string{"", "x", "hello world", "\x1f\x8b\x08", "\x0a\x0d\x0d\x0a", "\xd4\xc3\xb2\xa1"} {
		if _, err := Read(strings.NewReader(none), 3306, nil); !errors.Is(err, ErrNoCapture) {
			t.Errorf("%q: %v", none, err)
		}
	}
}

// TestTwice: the same connection at two addresses, as of a pod and a Service, is read once; one
// to another server is read, and said.
func TestTwice(t *testing.T) {
	r := newTape(t)
	a, b, c := r.connect(), r.connect(), r.connect()
	b.serverIP, c.serverIP = net.IPv4(10, 9, 9, 9), net.IPv4(10, 0, 0, 3)
	b.port = a.port
	for _, p := range []*peers{a, b, c} {
		p.handshake(0, "shop")
		p.client(query("SELECT 1"))
		p.server(set(3, true, 2))
		p.end()
	}
	got, seen := statements(t, r.file.Bytes())
	if len(got) != 2 || seen.Twice != 1 || seen.Servers != 3 {
		t.Errorf("%s %+v", got, seen)
	}
}

// TestTooLong: a statement of more than a MiB is counted and not kept, and the next one is read.
func TestTooLong(t *testing.T) {
	r := newTape(t)
	p := r.connect().handshake(0, "shop")
	long := query(strings.Repeat("x", 3<<20))
	for len(long) > 0 {
		n := min(len(long), 60_000)
		p.client(long[:n])
		long = long[n:]
	}
	p.server(message(1, okay(2)))
	p.client(query("SELECT 2"))
	p.server(set(1, true, 2))
	got, seen := statements(t, r.file.Bytes())
	if d := cmp.Diff([]string{"SELECT 2 in shop: 1 rows, gap"}, got); d != "" || seen.TooLong != 1 {
		t.Errorf("%s %+v", d, seen)
	}
}
