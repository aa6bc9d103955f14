package packets

// This file follows one TCP connection: which bytes of which direction are there, and which
// answer belongs to which command.

import (
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/reassembly"
)

// phase is how far a connection has come.
type phase uint8

const (
	greeting phase = iota // the server speaks first
	login
	commands
	ignored // it cannot be read, or has been counted elsewhere
)

// half is one direction.
type half struct {
	framer
	started bool   // a segment of it was seen
	first   uint32 // the sequence number of its beginning
	at      uint32 // that of the next byte in order
	// cutTo is the end of the last segment that was captured in part.
	cutTo uint32
	isCut bool
}

// connection follows both directions.
type connection struct {
	r               *reader
	number          int64
	firstFromClient bool // the assembler's first direction is the client's
	phase           phase
	client, server  half
	// synced says that the next byte of the client begins a packet.
	synced bool
	midway bool // its beginning is not in the file
	read   bool // a command of it was read
	// elsewhere says that another connection of the file has the same bytes.
	elsewhere bool
	// answerAt is where the answer to the first waiting command begins.
	answerAt uint32
	waiting  []command
	answer   answer
	session
}

func newConnection(r *reader, number int64, firstFromClient bool) *connection {
	c := &connection{r: r, number: number, firstFromClient: firstFromClient}
	c.client.framer = framer{limit: longestStatement, hold: r.hold}
	c.server.framer = framer{limit: mostOfAnswer, hold: r.hold}
	c.prepared = map[uint32]*prepared{}
	return c
}

func (c *connection) half(dir reassembly.TCPFlowDirection) (h *half, client bool) {
	if (dir == reassembly.TCPDirClientToServer) == c.firstFromClient {
		return &c.client, true
	}
	return &c.server, false
}

// Accept notes where a direction begins, before the assembler orders its segments.
func (c *connection) Accept(tcp *layers.TCP, _ gopacket.CaptureInfo, dir reassembly.TCPFlowDirection, _ reassembly.Sequence, start *bool, ac reassembly.AssemblerContext) bool {
	*start = true // also without SYN: the connection began before the capture
	h, client := c.half(dir)
	begin := tcp.Seq
	if tcp.SYN {
		begin++
	}
	switch {
	case !h.started:
		h.started, h.first, h.at = true, begin, begin
		if client {
			c.beginsWith(tcp.SYN)
		}
	case tcp.SYN && begin != h.first && c.phase != ignored: // the same ports again, and the end before was not seen
		c.ignore(&c.r.seen.Reused)
	}
	if s, ok := ac.(*segment); ok && s.cut > 0 {
		h.cutTo, h.isCut = begin+uint32(len(tcp.Payload)), true
	}
	return true
}

// beginsWith says whether the first segment of the client opens the connection.
func (c *connection) beginsWith(opening bool) {
	if opening {
		c.synced = true
		return
	}
	c.midway, c.phase = true, commands
	c.r.seen.Midway++
}

// chunk is what has arrived in order.
type chunk struct {
	data  []byte
	start uint32 // sequence number
	ack   uint32
	time  func(offset int) float64
}

// ReassembledSG takes the next bytes of a direction.
func (c *connection) ReassembledSG(sg reassembly.ScatterGather, ac reassembly.AssemblerContext) {
	dir, _, _, skip := sg.Info()
	h, client := c.half(dir)
	n, _ := sg.Lengths()
	hole := skip > 0
	if hole {
		h.at += uint32(skip)
		c.r.seen.Holes++
		c.r.seen.Lost += float64(skip)
	}
	start := h.at
	h.at += uint32(n)
	if h.isCut && behind(start, h.cutTo) {
		hole = true
	} else {
		h.isCut = false
	}
	defer func() {
		if client && !c.elsewhere && c.phase != greeting && c.phase != login {
			c.r.seen.ClientBytes += float64(n + max(0, skip))
		}
	}()
	switch {
	case c.phase == ignored:
	case hole && client:
		if n > 0 {
			c.cutOff(sg.Fetch(n))
		}
		c.lose()
	case hole:
		c.loseAnswer()
	case n > 0:
		in := chunk{data: sg.Fetch(n), start: start, time: func(i int) float64 { return milliseconds(sg.CaptureInfo(i).Timestamp) }}
		if s, ok := ac.(*segment); ok {
			in.ack = s.ack
		}
		if client {
			c.fromClient(in)
		} else {
			c.fromServer(in)
		}
	}
}

// cutOff counts the statement whose end is not in the file: one that has begun before, or that a segment begins which
// was captured in part.
func (c *connection) cutOff(data []byte) {
	begun := c.client.p.body
	if !c.client.inPayload {
		if c.client.have > 0 || len(data) <= headerSize || data[3] != 0 {
			return
		}
		// Without a place in the stream, a segment is a command if it has the length of one.
		if length := int(data[0]) | int(data[1])<<8 | int(data[2])<<16; !c.synced && headerSize+length != len(data) {
			return
		}
		begun = data[headerSize:]
	}
	if len(begun) > 0 && (begun[0] == mysql.COM_QUERY || begun[0] == mysql.COM_STMT_EXECUTE) {
		c.r.seen.CutOff++
	}
}

// behind says that a sequence number is before another.
func behind(a, b uint32) bool { return int32(a-b) < 0 }

// ReassemblyComplete ends the connection.
func (c *connection) ReassemblyComplete(reassembly.AssemblerContext) bool {
	if c.phase != ignored {
		c.giveUp()
		if c.midway && !c.read {
			c.r.seen.Unreadable++
		}
	}
	c.forget()
	c.r.open--
	return true
}

// ignore stops reading for a reason that is counted.
func (c *connection) ignore(reason *int) {
	*reason++
	c.giveUp()
	c.forget()
	c.phase = ignored
}

// forget frees what is kept.
func (c *connection) forget() {
	c.client.reset()
	c.server.reset()
	c.dropPrepared()
}

// lose is called where bytes of the client are missing, or are not what was expected. The next
// segment that has whole commands is read again.
func (c *connection) lose() {
	c.giveUp()
	c.client.reset()
	c.synced, c.gap = false, true
	if c.phase != ignored {
		c.phase = commands
	}
	for _, p := range c.prepared {
		p.types = nil // a later execution can have sent others
	}
}

// loseAnswer is called where bytes of the server are missing.
func (c *connection) loseAnswer() {
	if c.phase == greeting {
		c.phase = login
	}
	c.giveUp()
	c.server.reset()
	c.answerAt = c.server.at
}

// fromClient takes what the client sent.
func (c *connection) fromClient(in chunk) {
	if !c.synced {
		whole := wholeCommands(in.data)
		if !whole && encrypted(in.data) {
			c.ignore(&c.r.seen.Encrypted)
		}
		if !whole {
			return
		}
		c.synced = true
	}
	c.client.feed(in.data, func(p packet, end int) bool {
		c.clientPacket(p, in.time(end-1), in.ack)
		return c.synced && c.phase != ignored
	})
}

// wholeCommands says that the bytes are whole packets, of which the first begins a command.
func wholeCommands(b []byte) bool {
	if len(b) <= headerSize || b[3] != 0 || !isCommand(b[headerSize]) {
		return false
	}
	for len(b) >= headerSize {
		n := headerSize + (int(b[0]) | int(b[1])<<8 | int(b[2])<<16)
		if n == headerSize || n > len(b) {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0
}

// encrypted says that the bytes begin with a TLS record (RFC 8446, section 5.1). As a packet of
// MySQL they would have 66,000 bytes or more.
func encrypted(b []byte) bool {
	return len(b) >= 5 && b[0] >= 20 && b[0] <= 23 && b[1] == 3 && b[2] >= 1 && b[2] <= 3
}

// fromServer takes what the server sent.
func (c *connection) fromServer(in chunk) {
	at := 0
	if c.phase == commands {
		if len(c.waiting) == 0 {
			return
		}
		if behind(in.start, c.answerAt) {
			at = min(len(in.data), int(c.answerAt-in.start))
		}
	}
	c.server.feed(in.data[at:], func(p packet, end int) bool {
		return c.serverPacket(p, in.time(at+end-1))
	})
}

func (c *connection) serverPacket(p packet, at float64) (more bool) {
	switch c.phase {
	case greeting:
		c.greeted(p)
		return c.phase != ignored
	case login: // the answer to the login: whether it succeeds shows in what follows
		return true
	case ignored:
		return false
	}
	if len(c.waiting) == 0 {
		return false
	}
	done, ok := c.answer.take(p)
	if !ok {
		c.r.seen.Strange++
		c.loseAnswer()
		return false
	}
	if done {
		first := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.finish(first, at, true)
		c.nextAnswer()
	}
	return len(c.waiting) > 0
}

// nextAnswer prepares for the answer to the first waiting command.
func (c *connection) nextAnswer() {
	if len(c.waiting) > 0 {
		c.answer = answer{kind: c.waiting[0].kind, trailing: c.answer.last}
	}
}

// expect puts a command with its answer. The client's acknowledgement says which bytes of the
// server it had when it sent the command, so an answer is not taken for that of another
// command where one is missing, or where the packets are not in order.
func (c *connection) expect(cmd command, ack uint32) {
	switch {
	case c.server.started && len(c.waiting) == 0 && behind(ack, c.server.at):
		c.finish(cmd, 0, false) // its answer may be there already
		return
	case !c.server.started, behind(c.server.at, ack):
		c.giveUp()
	case len(c.waiting) >= mostCommands:
		c.lose()
		return
	}
	if len(c.waiting) == 0 {
		c.server.reset()
		c.answerAt, c.answer = ack, answer{kind: cmd.kind}
	}
	c.waiting = append(c.waiting, cmd)
}

// giveUp ends the commands whose answers are not in the file.
func (c *connection) giveUp() {
	waiting := c.waiting
	c.waiting = nil
	for _, cmd := range waiting {
		c.finish(cmd, 0, false)
	}
}
