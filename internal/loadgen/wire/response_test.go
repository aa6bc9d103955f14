package wire

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packets frames payloads, numbered from 1.
func packets(payloads ...string) []byte {
	var b []byte
	for i, p := range payloads {
		b = append(b, byte(len(p)), byte(len(p)>>8), byte(len(p)>>16), byte(i+1))
		b = append(b, p...)
	}
	return b
}

const (
	okPacket  = "\x00\x05\xfc\x10\x27\x03\x00\x00\x00" // 5 affected, insert id 10000, in transaction and autocommit
	eofPacket = "\xfe\x00\x00\x22\x00"
	column    = "\x03def\x00\x00\x00\x01c\x00\x0c\x21\x00\x00\x00\x00\x00\xfd\x00\x00\x1f\x00\x00"
	errPacket = "\xff\xbd\x04#40001Deadlock found"
)

// seen is what a Response tells.
type seen struct {
	Status, Code       uint16
	Statement, Rows    uint32
	Affected, InsertID uint64
	Message            string
	Used               int
	Done               bool
}

func feed(t testing.TB, r *Response, in []byte, step int) (seen, error) {
	t.Helper()
	used := 0
	for used < len(in) {
		n, done, err := r.Feed(in[used:min(used+step, len(in))])
		used += n
		if err != nil {
			return seen{Used: used}, err
		}
		if done {
			return seen{r.Status, r.Code, r.Statement, r.Rows, r.Affected, r.InsertID, r.Message(), used, true}, nil
		}
		if n == 0 {
			t.Fatalf("no progress at byte %d of %d", used, len(in))
		}
	}
	return seen{Used: used}, nil
}

func TestResponse(t *testing.T) {
	row := string(bytes.Repeat([]byte("x"), 700)) // longer than what is kept of a packet
	cases := []struct {
		name    string
		prepare bool
		in      []byte
		want    seen
	}{
		{"ok", false, packets(okPacket), seen{Status: 3, Affected: 5, InsertID: 10000}},
		{"error", false, packets(errPacket), seen{Code: 1213, Message: "Deadlock found"}},
		{"rows", false, packets("\x01", column, eofPacket, "\x00\x00a", row, "\x00\x00b", eofPacket), seen{Status: 0x22, Rows: 3}},
		{"no rows", false, packets("\x02", column, column, eofPacket, eofPacket), seen{Status: 0x22}},
		{"error among the rows", false, packets("\x01", column, eofPacket, row, errPacket), seen{Rows: 1, Code: 1213, Message: "Deadlock found"}},
		{"a row that begins like EOF", false, packets("\x01", column, eofPacket, "\xfe\x00\x00\x00\x01\x00\x00\x00\x00x", eofPacket), seen{Status: 0x22, Rows: 1}},
		{"two results", false, packets("\x01", column, eofPacket, "a", "\xfe\x00\x00\x0a\x00", okPacket), seen{Status: 3, Rows: 1, Affected: 5, InsertID: 10000}},
		{"prepared without anything", true, packets("\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), seen{Statement: 7}},
		{"prepared with both", true, packets("\x00\x07\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00", column, column, eofPacket, column, eofPacket), seen{Statement: 7}},
		{"prepared with parameters", true, packets("\x00\x07\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00", column, eofPacket), seen{Statement: 7}},
		{"not prepared", true, packets(errPacket), seen{Code: 1213, Message: "Deadlock found"}},
	}
	for _, c := range cases {
		// Whatever pieces the network makes of it, it is the same answer.
		for _, step := range []int{1, 2, 3, 4, 5, 7, 64, 1 << 20} {
			var r Response
			r.Reset()
			if c.prepare {
				r.ResetPrepare()
			}
			got, err := feed(t, &r, append(c.in, "next"...), step)
			c.want.Done, c.want.Used = true, len(c.in)
			if err != nil || got != c.want {
				t.Errorf("%s in pieces of %d: %v\n%s", c.name, step, err, cmp.Diff(c.want, got))
			}
		}
	}
}

func TestResponseRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"a request for a file":      packets("\xfb/etc/passwd"),
		"an empty packet":           packets(""),
		"a short OK":                packets("\x00\x01"),
		"a short error":             packets("\xff\x01"),
		"too many columns":          packets("\xfd\x00\x00\x10"),
		"more definitions":          packets("\x01", column, column),
		"a short EOF":               packets("\x01", column, eofPacket, "\xfe"),
		"a number out of sequence":  {1, 0, 0, 7, 1},
		"NULL for a column count":   packets("\xfe\x01"),
		"http":                      []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"a length-encoded OK field": packets("\x00\xfe\x01"),
	} {
		var r Response
		r.Reset()
		_, err := feed(t, &r, in, 3)
		if !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzResponse: no bytes crash the decoder, make it go beyond them, or mean
// something else when they come in pieces; nor does a length that they declare cost memory.
func FuzzResponse(f *testing.F) {
	f.Add(packets("\x01", column, eofPacket, "a", eofPacket), uint8(3), false)
	f.Add(packets("\x00\x07\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00", column, column, eofPacket, column, eofPacket), uint8(1), true)
	f.Add(packets(errPacket), uint8(2), false)
	f.Add(append([]byte{0xff, 0xff, 0xff, 1}, make([]byte, 100)...), uint8(9), false)
	f.Fuzz(func(t *testing.T, in []byte, step uint8, prepare bool) {
		var a, b Response
		a.Reset()
		b.Reset()
		if prepare {
			a.ResetPrepare()
			b.ResetPrepare()
		}
		var rowA, rowB Row
		if keepRow := step%3 > 0; keepRow {
			rowA.Plain, rowB.Plain = step%3 == 1, step%3 == 1
			a.Keep(&rowA)
			b.Keep(&rowB)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		whole, errA := feed(t, &a, in, len(in)+1)
		pieces, errB := feed(t, &b, in, int(step)+1)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
			t.Fatalf("%d bytes allocated for %d", got, len(in))
		}
		if (errA == nil) != (errB == nil) {
			t.Fatalf("whole: %v, in pieces: %v", errA, errB)
		}
		// Of a message longer than what is kept the end may be missing.
		if errA == nil && len(whole.Message) > 400 {
			whole.Message, pieces.Message = "", ""
		}
		if errA == nil && whole != pieces {
			t.Fatal(cmp.Diff(whole, pieces))
		}
		for i := 0; errA == nil; i++ {
			x, ok := rowA.Next()
			y, okB := rowB.Next()
			if ok != okB || !cmp.Equal(x, y) || i > mostTypes {
				t.Fatalf("column %d: %v and %v", i, x, y)
			}
			if !ok {
				break
			}
			x.Int()
			x.Cents()
		}
	})
}

func BenchmarkFeedRows(b *testing.B) {
	payloads := []string{"\x01", column, eofPacket}
	for range 100 {
		payloads = append(payloads, "\x00\x00\x77"+string(make([]byte, 119)))
	}
	in := packets(append(payloads, eofPacket)...)
	var r Response
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset()
		if _, done, err := r.Feed(in); !done || err != nil {
			b.Fatal(done, err)
		}
	}
}

func TestFeedDoesNotAllocate(t *testing.T) {
	in := packets("\x01", column, eofPacket, "a", "b", eofPacket)
	var r Response
	if n := testing.AllocsPerRun(1000, func() {
		r.Reset()
		_, _, _ = r.Feed(in[:20])
		_, _, _ = r.Feed(in[20:])
	}); n != 0 {
		t.Errorf("%v allocations for an answer", n)
	}
}
