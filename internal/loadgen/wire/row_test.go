package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// definition is that of a column of a type.
func definition(kind byte) string {
	return "\x03def\x01s\x01t\x01t\x01c\x01c\x0c\xff\x00\xe0\x01\x00\x00" + string([]byte{kind, 0, 0, 0, 0, 0})
}

// TestRow: the wanted row is kept, its columns are read back, whatever pieces the
// answer comes in, and the rows beside it are not taken for it.
func TestRow(t *testing.T) {
	binaryRow := "\x00\x40\x00" + "\x85" + "\xfe\xff" + "\x01\x02\x00\x00" + "\xff\xff\xff\xff\xff\xff\xff\xff" + // NULL: column 4
		"\x07-123.45" + "\x02ab"
	binaryAnswer := packets("\x07", definition(1), definition(2), definition(3), definition(8), definition(3), definition(246), definition(254), eofPacket,
		"\x00\x7c\x01", binaryRow, "\x00\x7c\x01", eofPacket)
	want := []Value{{Number: -123, Whole: true, Type: 1}, {Number: -2, Whole: true, Type: 2}, {Number: 513, Whole: true, Type: 3}, {Number: -1, Whole: true, Type: 8}, {Null: true},
		{Text: []byte("-123.45"), Type: 246}, {Text: []byte("ab"), Type: 254}}
	text := packets("\x03", definition(3), definition(246), definition(254), eofPacket, "\x01x\x01y\x01z", "\x0242\xfb\x02ab", eofPacket)
	for _, c := range []struct {
		name  string
		in    []byte
		plain bool
		want  []Value
	}{
		{"binary", binaryAnswer, false, want},
		{"text", text, true, []Value{{Text: []byte("42"), Type: 3}, {Null: true}, {Text: []byte("ab"), Type: 254}}},
	} {
		for _, step := range []int{1, 3, 7, 64, 1 << 20} {
			var r Response
			row := Row{At: 1, Plain: c.plain}
			r.Reset()
			r.Keep(&row)
			if _, err := feed(t, &r, c.in, step); err != nil {
				t.Fatal(err)
			}
			var got []Value
			for v, ok := row.Next(); ok; v, ok = row.Next() {
				got = append(got, v)
			}
			if d := cmp.Diff(c.want, got); d != "" || !row.Found {
				t.Errorf("%s in pieces of %d: %s", c.name, step, d)
			}
		}
	}
}

func TestRowThatIsNotThere(t *testing.T) {
	var r Response
	row := Row{At: 1}
	r.Reset()
	r.Keep(&row)
	in := packets("\x01", definition(3), eofPacket, "\x00\x00\x01\x00\x00\x00", eofPacket)
	if _, err := feed(t, &r, in, 4); err != nil || row.Found {
		t.Errorf("found %v, %v", row.Found, err)
	}
	if v, ok := row.Next(); ok {
		t.Errorf("a column of no row: %+v", v)
	}
}

func TestCents(t *testing.T) {
	for text, want := range map[string]int64{"0.00": 0, "12.34": 1234, "-12.34": -1234, "7": 700, "7.5": 750, "-0.05": -5, "300000.00": 30000000} {
		if got, ok := (Value{Text: []byte(text)}).Cents(); !ok || got != want {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "1.234", "1e5", "1..2", "x", "1234567890123456789"} {
		if got, ok := (Value{Text: []byte(text)}).Cents(); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}
