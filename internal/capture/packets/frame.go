package packets

// This file splits one direction of a connection into the packets of the MySQL protocol.

// packet is a packet of the MySQL protocol, with those that continue it (of 16 MiB and more).
type packet struct {
	sequence byte // of its first part
	next     byte // the sequence number that follows its last part
	length   int  // of the payload
	body     []byte
}

// whole says that all of the payload was kept.
func (p packet) whole() bool { return len(p.body) == p.length }

const (
	headerSize    = 4
	largestPacket = 1<<24 - 1
)

// framer collects the bytes of a direction. It keeps the beginning of a payload.
type framer struct {
	limit int // of what is kept of a payload
	hold  func(n int) bool

	head      [headerSize]byte
	have      int // bytes of the header
	left      int // of the payload's part, not yet received
	inPayload bool
	continued bool // the part before had the largest size
	full      bool // no more is kept of this payload
	held      int
	p         packet
}

// reset forgets the packet that has begun.
func (f *framer) reset() {
	f.hold(-f.held)
	*f = framer{limit: f.limit, hold: f.hold}
}

// feed calls a function for each packet that ends in b, with the place behind it. The function
// returns false to stop, after which feed returns the place where it stopped.
func (f *framer) feed(b []byte, each func(p packet, end int) bool) int {
	at := 0
	for at < len(b) {
		if !f.inPayload {
			n := copy(f.head[f.have:], b[at:])
			f.have, at = f.have+n, at+n
			if f.have < headerSize {
				return at
			}
			f.begin()
		}
		n := min(f.left, len(b)-at)
		f.keep(b[at : at+n])
		f.left, at = f.left-n, at+n
		if f.left > 0 {
			return at
		}
		f.inPayload, f.have = false, 0
		if f.continued {
			continue
		}
		p := f.p
		f.reset()
		if !each(p, at) {
			return at
		}
	}
	return at
}

// begin reads a header.
func (f *framer) begin() {
	f.left = int(f.head[0]) | int(f.head[1])<<8 | int(f.head[2])<<16
	if !f.continued {
		f.p = packet{sequence: f.head[3]}
	}
	f.p.next = f.head[3] + 1
	f.p.length += f.left
	f.continued = f.left == largestPacket
	f.inPayload = true
}

// keep takes a part of the payload over. A packet that lies in one segment is not copied.
func (f *framer) keep(b []byte) {
	switch {
	case f.full || len(b) == 0:
	case len(f.p.body) == 0 && len(b) == f.left && !f.continued && len(b) == f.p.length && len(b) <= f.limit:
		f.p.body = b
	default:
		n := min(len(b), f.limit-len(f.p.body))
		if n < len(b) {
			f.full = true
		}
		if !f.hold(n) {
			f.full = true
			return
		}
		f.held += n
		f.p.body = append(f.p.body, b[:n]...)
	}
}
