package packets

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

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
