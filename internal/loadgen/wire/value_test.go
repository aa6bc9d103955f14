package wire

import (
	"strings"
	"testing"
)

// TestValueText: a value of the binary protocol is written as the text protocol has it
// (protocol documentation, Binary Protocol Value).
func TestValueText(t *testing.T) {
	for _, c := range []struct {
		kind  byte
		flags byte
		bytes string
		want  string
	}{
		{1, 0, "\xff", "-1"}, {1, unsignedFlag, "\xff", "255"}, {2, unsignedFlag, "\xff\xff", "65535"}, {3, unsignedFlag, "\xff\xff\xff\xff", "4294967295"},
		{9, 0, "\xfe\xff\xff\xff", "-2"}, {8, 0, "\x00\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775808"}, {13, unsignedFlag, "\xea\x07", "2026"},
		{8, unsignedFlag, "\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"},
		{4, 0, "\x00\x00\xc0\x3f", "1.5"}, {5, 0, "\x00\x00\x00\x00\x00\x00\xf8\xbf", "-1.5"},
		{246, 0, "\x0512.50", "12.50"}, {253, 0, "\x02ab", "ab"},
		{10, 0, "\x04\xea\x07\x01\x1f", "2026-01-31"}, {12, 0, "\x00", "0000-00-00"}, {12, 0, "\x04\x01\x00\x02\x03", "0001-02-03"},
		{12, 0, "\x07\xea\x07\x0c\x1f\x17\x3b\x05", "2026-12-31 23:59:05"}, {7, 0, "\x0b\xea\x07\x0c\x1f\x00\x00\x00\x05\x00\x00\x00", "2026-12-31 00:00:00.000005"},
		{11, 0, "\x00", "00:00:00"}, {11, 0, "\x08\x00\x00\x00\x00\x00\x01\x02\x03", "01:02:03"}, {11, 0, "\x0c\x01\x22\x00\x00\x00\x16\x3b\x3b\x3f\x42\x0f\x00", "-838:59:59.999999"},
	} {
		column := definition(c.kind)
		column = column[:len(column)-5] + string([]byte{c.flags}) + column[len(column)-4:]
		var r Response
		var row Row
		r.Reset()
		r.Keep(&row)
		if _, err := feed(t, &r, packets("\x01", column, eofPacket, "\x00\x00"+c.bytes, eofPacket), 1<<20); err != nil {
			t.Fatal(err)
		}
		v, ok := row.Next()
		if got := string(v.AppendText(nil)); !ok || got != c.want {
			t.Errorf("type %d, %q: %q, want %q", c.kind, c.bytes, got, c.want)
		}
		if integer, decimal := v.Numeric(); integer != (v.Whole || v.Unsigned) || decimal != (c.kind == TypeDecimal) {
			t.Errorf("type %d: integer %v, decimal %v", c.kind, integer, decimal)
		}
	}
	// What is shorter than its type says does not read beyond its end.
	if got := string((Value{Text: []byte{1}, Type: typeTime, Packed: true}).AppendText(nil)); !strings.HasPrefix(got, "-00:00") {
		t.Errorf("a short time is %q", got)
	}
}
