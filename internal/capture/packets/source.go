package packets

// This file opens a capture in either format, also one that gzip has compressed.

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// source gives the packets of a capture one after another.
type source struct {
	in *remembering
	// packed is what gzip unpacks; nil of a file that is not compressed.
	packed *remembering
	next   func() (captured, error)
}

// captured is a packet. Its data are valid until the next one is read.
type captured struct {
	data []byte
	link layers.LinkType
	info gopacket.CaptureInfo
}

// remembering keeps the error of a reader, so that a failed disk is not taken for a file that
// is cut off.
type remembering struct {
	io.Reader
	err error
}

func (r *remembering) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// The first bytes of a file (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng).
const (
	magicMicroseconds = 0xa1b2c3d4
	magicNanoseconds  = 0xa1b23c4d
	magicSection      = 0x0a0d0d0a
	magicGzip         = 0x1f8b
)

func open(in io.Reader) (*source, error) {
	s := &source{in: &remembering{Reader: in}}
	r := bufio.NewReaderSize(s.in, 1<<18)
	if head, err := r.Peek(2); err == nil && binary.BigEndian.Uint16(head) == magicGzip {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, ErrNoCapture
		}
		s.packed = &remembering{Reader: unpacked}
		r = bufio.NewReaderSize(s.packed, 1<<18)
	}
	head, err := r.Peek(4)
	if err != nil {
		if s.in.err != nil {
			return nil, fmt.Errorf("read packets: %w", s.in.err)
		}
		return nil, ErrNoCapture
	}
	switch big, little := binary.BigEndian.Uint32(head), binary.LittleEndian.Uint32(head); {
	case big == magicSection:
		return s, s.openNext(r)
	case big == magicMicroseconds, big == magicNanoseconds, little == magicMicroseconds, little == magicNanoseconds:
		return s, s.openFirst(r)
	}
	return nil, ErrNoCapture
}

// openFirst opens a pcap file.
func (s *source) openFirst(r io.Reader) error {
	p, err := pcapgo.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoCapture, err)
	}
	link := p.LinkType() & 0xffff // the bits above are the length of the frame check sequence
	s.next = func() (captured, error) {
		data, info, err := p.ZeroCopyReadPacketData()
		return captured{data, asRaw(link), info}, err
	}
	return nil
}

// openNext opens a pcapng file, whose interfaces can have different link types.
func (s *source) openNext(r io.Reader) error {
	p, err := pcapgo.NewNgReader(r, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoCapture, err)
	}
	s.next = func() (captured, error) {
		data, info, err := p.ZeroCopyReadPacketData()
		if err != nil {
			return captured{}, err
		}
		link := layers.LinkTypeNull
		if len(info.AncillaryData) > 0 {
			link, _ = info.AncillaryData[0].(layers.LinkType)
		}
		return captured{data, asRaw(link), info}, nil
	}
	return nil
}

// The numbers of raw IP beside that of tcpdump's files: DLT_RAW of OpenBSD and of others, which are written as they are
// on the system of the capture.
const (
	rawOfOpenBSD = 14
	rawOfOthers  = 12
)

// asRaw is the link type under which gopacket reads IP packets without a frame; any other as it is.
func asRaw(link layers.LinkType) layers.LinkType {
	switch link {
	case layers.LinkTypeIPv4, layers.LinkTypeIPv6, rawOfOpenBSD, rawOfOthers:
		return layers.LinkTypeRaw
	}
	return link
}
