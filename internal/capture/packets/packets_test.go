package packets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
