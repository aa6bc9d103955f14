package packets

// This file tests captures in more frames and formats than the tape writes.

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/layers"
)

// recordOf is the packets of a pcap file of nanoseconds in little-endian order, as the tape writes it.
type recordOf struct {
	seconds, nanos, captured, length uint32
	data                             []byte
}

func recordsOf(t *testing.T, file []byte) (link uint32, all []recordOf) {
	t.Helper()
	le := binary.LittleEndian
	link = le.Uint32(file[20:])
	for at := 24; at < len(file); {
		r := recordOf{le.Uint32(file[at:]), le.Uint32(file[at+4:]), le.Uint32(file[at+8:]), le.Uint32(file[at+12:]), nil}
		r.data = file[at+16 : at+16+int(r.captured)]
		all, at = append(all, r), at+16+int(r.captured)
	}
	return link, all
}

// pcapOf writes them in another order of bytes, with micro- or nanoseconds.
func pcapOf(order binary.AppendByteOrder, nanos bool, link uint32, all []recordOf) []byte {
	magic, unit := uint32(magicMicroseconds), uint32(1000)
	if nanos {
		magic, unit = magicNanoseconds, 1
	}
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	for _, v := range []uint32{0, 0, 1 << 18, link} {
		b = order.AppendUint32(b, v)
	}
	for _, r := range all {
		for _, v := range []uint32{r.seconds, r.nanos / unit, r.captured, r.length} {
			b = order.AppendUint32(b, v)
		}
		b = append(b, r.data...)
	}
	return b
}

// block is one of pcapng, with its length before and behind it.
func block(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	length := uint32(12 + len(body))
	b := order.AppendUint32(order.AppendUint32(nil, kind), length)
	return order.AppendUint32(append(b, body...), length)
}

// pcapngOf writes them in turn to interfaces of link types, all frames being those of the first; simple writes blocks
// without time and interface.
func pcapngOf(order binary.AppendByteOrder, links []uint32, frame func(face int, ip []byte) []byte, simple bool, all []recordOf) []byte {
	section := order.AppendUint32(nil, 0x1a2b3c4d)
	section = order.AppendUint16(order.AppendUint16(section, 1), 0)
	section = order.AppendUint64(section, 1<<64-1)
	b := block(order, magicSection, section)
	for _, l := range links {
		face := order.AppendUint16(order.AppendUint16(nil, uint16(l)), 0)
		b = append(b, block(order, 1, order.AppendUint32(face, 1<<18))...) // microseconds, as without if_tsresol
	}
	for i, r := range all {
		face := i % len(links)
		data := frame(face, r.data)
		if simple {
			b = append(b, block(order, 3, append(order.AppendUint32(nil, uint32(len(data))), data...))...)
			continue
		}
		micros := uint64(r.seconds)*1_000_000 + uint64(r.nanos)/1000
		body := order.AppendUint32(nil, uint32(face))
		body = order.AppendUint32(order.AppendUint32(body, uint32(micros>>32)), uint32(micros))
		body = order.AppendUint32(order.AppendUint32(body, uint32(len(data))), uint32(len(data)))
		b = append(b, block(order, 6, append(body, data...))...)
	}
	return b
}

func conversation(t *testing.T, link layers.LinkType, head []byte, six bool) []byte {
	t.Helper()
	r := newTapeOf(t, link, false)
	r.six = six
	r.frame = func(ip []byte) []byte { return append(bytes.Clone(head), ip...) }
	p := r.connect().handshake(0, "shop")
	p.client(query("SELECT 1"))
	p.server(set(3, true, 2))
	p.end()
	return r.file.Bytes()
}

// TestFrames: more frames that captures on hosts, switches and firewalls have.
func TestFrames(t *testing.T) {
	ethernet := make([]byte, 12)
	with := func(tail ...byte) []byte { return append(bytes.Clone(ethernet), tail...) }
	for name, c := range map[string]struct {
		link layers.LinkType
		head []byte
		six  bool
	}{
		"QinQ of 802.1ad":         {layers.LinkTypeEthernet, with(0x88, 0xa8, 0, 7, 0x81, 0, 0, 5, 8, 0), false},
		"two tags of 802.1Q":      {layers.LinkTypeEthernet, with(0x81, 0, 0, 7, 0x81, 0, 0, 5, 8, 0), false},
		"VLAN with IPv6":          {layers.LinkTypeEthernet, with(0x81, 0, 0, 5, 0x86, 0xdd), true},
		"MPLS":                    {layers.LinkTypeEthernet, with(0x88, 0x47, 0, 0x01, 0x01, 64), false},
		"cooked with a VLAN":      {layers.LinkTypeLinuxSLL, []byte{0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0x81, 0, 0, 5, 8, 0}, false},
		"cooked with IPv6":        {layers.LinkTypeLinuxSLL, []byte{0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0x86, 0xdd}, true},
		"cooked 2 with IPv6":      {layers.LinkTypeLinuxSLL2, []byte{0x86, 0xdd, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0}, true},
		"loopback, big-endian":    {layers.LinkTypeNull, []byte{0, 0, 0, 2}, false},
		"loopback, IPv6 of macOS": {layers.LinkTypeNull, []byte{30, 0, 0, 0}, true},
		"loopback, IPv6 of Linux": {layers.LinkTypeNull, []byte{10, 0, 0, 0}, true},
		"loopback of OpenBSD":     {layers.LinkTypeLoop, []byte{0, 0, 0, 2}, false},
		"raw, another number":     {12, nil, false},
		"raw of OpenBSD":          {14, nil, false},
		"IPv4 alone":              {layers.LinkTypeIPv4, nil, false},
		"IPv6 alone":              {layers.LinkTypeIPv6, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, seen := statements(t, conversation(t, c.link, c.head, c.six))
			if d := cmp.Diff([]string{"SELECT 1 in shop: 3 rows"}, got); d != "" || len(seen.Notes()) > 0 {
				t.Errorf("%s %q", d, seen.Notes())
			}
		})
	}
}

// TestFormats: both orders of bytes and both units of time of pcap, and pcapng with several interfaces of different
// link types, in one order or the other, also compressed and cut off in the middle of the compressed file.
func TestFormats(t *testing.T) {
	link, all := recordsOf(t, conversation(t, layers.LinkTypeRaw, nil, false))
	ethernet := append(make([]byte, 12), 8, 0)
	frames := func(face int, ip []byte) []byte {
		if face == 1 {
			return append(bytes.Clone(ethernet), ip...)
		}
		return ip
	}
	links := []uint32{link, uint32(layers.LinkTypeEthernet)}
	for name, file := range map[string][]byte{
		"pcap, big-endian":                 pcapOf(binary.BigEndian, false, link, all),
		"pcap, big-endian, nanoseconds":    pcapOf(binary.BigEndian, true, link, all),
		"pcap, microseconds":               pcapOf(binary.LittleEndian, false, link, all),
		"pcap, nanoseconds":                pcapOf(binary.LittleEndian, true, link, all),
		"pcapng, two interfaces":           pcapngOf(binary.LittleEndian, links, frames, false, all),
		"pcapng, two interfaces, big":      pcapngOf(binary.BigEndian, links, frames, false, all),
		"pcapng, two sections of one file": append(pcapngOf(binary.LittleEndian, links, frames, false, all[:4]), pcapngOf(binary.LittleEndian, links[:1], frames, false, all[4:])...),
	} {
		t.Run(name, func(t *testing.T) {
			got, seen := statements(t, file)
			if d := cmp.Diff([]string{"SELECT 1 in shop: 3 rows"}, got); d != "" || len(seen.Notes()) > 0 || seen.Last-seen.First < 1 {
				t.Errorf("%s %q, from %v to %v", d, seen.Notes(), seen.First, seen.Last)
			}
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(file)
			z.Close()
			for cut, part := range map[string][]byte{"compressed, without its end": packed.Bytes()[:packed.Len()-8], "compressed, cut in two": packed.Bytes()[:packed.Len()/2], "cut off": file[:len(file)-3]} {
				if got, seen = statements(t, part); !seen.Incomplete {
					t.Errorf("%s: %s %q", cut, got, seen.Notes())
				}
			}
		})
	}
}

// TestNoTimes: simple packet blocks of pcapng have no time, so nothing has a latency, and the file says so.
func TestNoTimes(t *testing.T) {
	link, all := recordsOf(t, conversation(t, layers.LinkTypeRaw, nil, false))
	file := pcapngOf(binary.LittleEndian, []uint32{link}, func(_ int, ip []byte) []byte { return ip }, true, all)
	var got []Statement
	seen, err := Read(bytes.NewReader(file), 3306, func(s Statement) { got = append(got, s) })
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Text != "SELECT 1" || !got[0].Answered || got[0].Rows != 3 || !math.IsNaN(got[0].Start) || !math.IsNaN(got[0].End) {
		t.Errorf("%+v", got)
	}
	if notes := strings.Join(seen.Notes(), " "); !math.IsNaN(seen.Last-seen.First) || !strings.Contains(notes, "12 packets have no time") {
		t.Errorf("from %v to %v: %s", seen.First, seen.Last, notes)
	}
}

// TestUnknownFrames: packets of a link type that is not read are counted and named.
func TestUnknownFrames(t *testing.T) {
	link, all := recordsOf(t, conversation(t, layers.LinkTypeRaw, nil, false))
	const netfilterLog = 239
	file := pcapngOf(binary.LittleEndian, []uint32{netfilterLog}, func(_ int, ip []byte) []byte { return ip }, false, all)
	_, seen := statements(t, file)
	if notes := strings.Join(seen.Notes(), " "); seen.Segments != 0 || seen.Unknown != float64(len(all)) || !strings.Contains(notes, "a frame that is not read (link type 239)") {
		t.Errorf("%d packets of %d: %+v, %s", len(all), link, seen, notes)
	}
}
