package packets

import (
	"bytes"
	"math"
	"runtime"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// largestInput bounds what a fuzz target reads: a limit of the time of one input.
const largestInput = 1 << 16

// checked is what every reading of any bytes has to keep.
func checked(t *testing.T) func(Statement) {
	return func(s Statement) {
		if len(s.Text) > longestStatement || s.Answered == math.IsNaN(s.End) || s.Answered && s.End < s.Start || s.Connection < 1 {
			t.Errorf("%+v", s)
		}
		for _, v := range s.Values {
			v.AppendText(nil)
		}
	}
}

// freed says that nothing is kept when all connections have ended.
func freed(t *testing.T, r *reader) {
	if r.held != 0 || r.open != 0 {
		t.Errorf("%d bytes and %d connections are kept", r.held, r.open)
	}
}

// FuzzRead: any file ends in statements or an error, with memory that its size bounds.
func FuzzRead(f *testing.F) {
	for _, next := range []bool{false, true} {
		r := newTapeOf(f, layers.LinkTypeRaw, next)
		p := r.connect().handshake(0, "shop")
		p.client(query("SELECT 1"))
		p.server(set(3, true, 2))
		p.client(message(0, []byte("\x16P ? ? ?")))
		p.dropping = true
		p.server(preparedOK(9, true))
		p.client(execute(9, -5, "x", true))
		p.end()
		f.Add(r.file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > largestInput {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := newReader(3306, checked(t))
		if s, err := open(bytes.NewReader(file)); err == nil {
			_ = r.all(s) // bytes in memory cannot fail
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 128<<20 {
			t.Errorf("%d bytes were allocated for a file of %d", used, len(file))
		}
		freed(t, r)
		r.seen.Notes()
	})
}

// FuzzConnection: any bytes of both sides, in segments of any length, from the beginning of a
// connection or from the middle.
func FuzzConnection(f *testing.F) {
	login := message(1, append(append([]byte{8, 0x82, 0, 1}, make([]byte, 28)...), "app\x00\x02xxshop\x00"...))
	greet := message(0, []byte("\n9.7.4\x00\x01\x02\x03\x04saltsalt\x00                    "))
	f.Add(bytes.Join([][]byte{login, query("SELECT 1"), query("use b"), message(0, []byte("\x16P ? ? ?")), execute(9, -5, "x", true), execute(9, 5, "x", false)}, nil),
		bytes.Join([][]byte{greet, message(2, okay(0)), set(3, true, 2), message(1, okay(2)), preparedOK(9, true), set(2, false, 10), set(1, true, 2)}, nil), true, uint8(200))
	f.Add(query("\x00\x01SELECT 1"), message(1, failure(1213)), false, uint8(3))
	f.Add(message(0, []byte("\x11user\x00\x02xxd\x00")), message(1, []byte("\xfeplugin")), false, uint8(50))
	f.Fuzz(func(t *testing.T, client, server []byte, opening bool, length uint8) {
		if len(client)+len(server) > largestInput {
			return
		}
		n := 1 + int(length)
		r := newReader(3306, checked(t))
		c := newConnection(r, 1, true)
		c.client.started, c.server.started = true, true
		c.beginsWith(opening)
		for len(client)+len(server) > 0 {
			m := min(n, len(client))
			if m > 0 {
				c.client.at += uint32(m)
				c.fromClient(chunk{data: client[:m], start: c.client.at - uint32(m), ack: c.server.at, time: func(int) float64 { return 1 }})
				client = client[m:]
			}
			if m = min(n, len(server)); m > 0 {
				c.server.at += uint32(m)
				c.fromServer(chunk{data: server[:m], start: c.server.at - uint32(m), time: func(int) float64 { return 2 }})
				server = server[m:]
			}
			if len(client)%7 == 3 {
				c.loseAnswer()
			}
		}
		r.open = 1
		c.ReassemblyComplete(nil)
		freed(t, r)
	})
}
