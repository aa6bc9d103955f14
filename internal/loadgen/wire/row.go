package wire

import (
	"encoding/binary"
	"math"
	"strconv"
)

// mostTypes is how many leading columns of a row can be read back, rowSize the
// largest row: what the decoder keeps of a packet that arrives in pieces.
const (
	mostTypes = 16
	rowSize   = keep - headerSize
)

// Row is one row of an answer, copied out of the receive buffer because a later
// statement needs values of it. It is used again for every answer.
type Row struct {
	// At is the row of the answer to read, from 0.
	At uint32
	// Plain says that the answer is COM_QUERY's, whose values are all text.
	Plain bool
	// Found says that the answer had the row.
	Found bool

	columns int // of the answer
	types   [mostTypes]byte
	// unsigned has a bit for each column whose integers are.
	unsigned uint16
	seen     int // definitions seen
	column   int // the next to be read
	at       int
	length   int // 0 where the row was longer than what is kept
	bytes    [rowSize]byte
}

// Value is one column of a row.
type Value struct {
	// Text is the value of anything but a number of the binary protocol; it
	// lies in the row. Times of the binary protocol are not text yet: see AppendText.
	Text []byte
	// Number is an integer, Real a number of type FLOAT or DOUBLE.
	Number int64
	Real   float64
	// Whole says that Number holds the value, Unsigned that it does as an uint64 beyond
	// int64, Floating that Real does, Null that there is none.
	Whole, Unsigned, Floating, Null bool
	// Type is the column's (include/field_types.h); Packed says that Text is the binary
	// protocol's form of a time.
	Type   byte
	Packed bool
}

// Int is the value as a whole number.
func (v Value) Int() (int64, bool) {
	if v.Whole || v.Null {
		return v.Number, v.Whole
	}
	// The compiler sees that the string does not outlive the call.
	n, err := strconv.ParseInt(string(v.Text), 10, 64)
	return n, err == nil
}

// Cents is a decimal number with at most two digits after the point, in hundredths.
func (v Value) Cents() (int64, bool) {
	if v.Whole {
		return 100 * v.Number, true
	}
	text, negative := v.Text, false
	if len(text) > 0 && text[0] == '-' {
		text, negative = text[1:], true
	}
	var n int64
	digits, after := 0, -1
	for _, b := range text {
		switch {
		case b == '.' && after < 0:
			after = 0
		case b < '0' || b > '9' || after == 2 || digits == 17:
			return 0, false
		default:
			n = 10*n + int64(b-'0')
			digits++
			if after >= 0 {
				after++
			}
		}
	}
	for ; after < 2; after = max(after, 0) + 1 {
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, digits > 0
}

// begin prepares for an answer.
func (r *Row) begin() {
	r.Found, r.columns, r.seen, r.column, r.at, r.length, r.unsigned = false, 0, 0, 0, 0, 0, 0
}

// define takes a column's definition: of the fixed part at its end, 6 bytes from
// there, the type (protocol documentation, Column Definition 41).
func (r *Row) define(p []byte, length int) {
	if r.seen < mostTypes {
		r.types[r.seen] = typeUnknown
		if len(p) == length && length >= 6 && length <= rowSize {
			r.types[r.seen] = p[length-6]
			if p[length-5]&unsignedFlag != 0 {
				r.unsigned |= 1 << r.seen
			}
		}
	}
	r.seen++
}

// take copies a row's payload.
func (r *Row) take(p []byte, length int) {
	r.Found, r.columns = true, r.seen
	if len(p) == length && length <= rowSize {
		r.length = copy(r.bytes[:], p)
	}
	if !r.Plain {
		r.at = 1 + (r.columns+9)/8 // 0x00, then a NULL bitmap with an offset of 2
	}
}

// Next reads the row's next column; ok is false where there is none, or none that
// can be read.
func (r *Row) Next() (v Value, ok bool) {
	i := r.column
	if !r.Found || i >= r.columns || i >= mostTypes || r.at > r.length {
		return v, false
	}
	r.column++
	rest := r.bytes[r.at:r.length]
	if r.Plain {
		if len(rest) > 0 && rest[0] == 0xfb {
			r.at++
			return Value{Null: true}, true
		}
		v, ok = r.text(rest)
		v.Type = r.types[i]
		return v, ok
	}
	if r.bytes[1+(i+2)/8]>>((i+2)%8)&1 == 1 {
		return Value{Null: true}, true
	}
	v, ok = r.binary(r.types[i], r.unsigned>>i&1 == 1, rest)
	v.Type = r.types[i]
	return v, ok
}

func (r *Row) text(rest []byte) (Value, bool) {
	n, size, ok := LengthEncoded(rest)
	if !ok || n > uint64(len(rest)-size) {
		return Value{}, false
	}
	r.at += size + int(n)
	return Value{Text: rest[size : size+int(n)]}, true
}

// Types of columns whose values are not text (include/field_types.h), and the flag of
// unsigned integers (include/mysql_com.h).
const (
	typeTiny      = 1
	typeShort     = 2
	typeFloat     = 4
	typeDouble    = 5
	typeTimestamp = 7
	typeInt24     = 9
	typeDate      = 10
	typeTime      = 11
	typeDatetime  = 12
	typeYear      = 13
	typeUnknown   = 0xff

	unsignedFlag = 32
)

func (r *Row) binary(kind byte, unsigned bool, rest []byte) (v Value, ok bool) {
	v, size, ok := Binary(kind, unsigned, rest)
	r.at += size
	return v, ok
}

// Binary reads a value of a type in the binary protocol's form from the beginning of b: a
// column of a row, or a parameter of an execution. size is its length there, 0 where it is
// not whole.
func Binary(kind byte, unsigned bool, b []byte) (v Value, size int, ok bool) {
	switch kind {
	case typeTiny:
		size = 1
	case typeShort, typeYear:
		size = 2
	case TypeLong, typeInt24, typeFloat:
		size = 4
	case TypeLongLong, typeDouble:
		size = 8
	case typeUnknown:
		return v, 0, false
	default: // text, decimals, and times, whose length is one byte
		n, head, ok := LengthEncoded(b)
		if !ok || n > uint64(len(b)-head) {
			return v, 0, false
		}
		v.Text = b[head : head+int(n)]
		v.Packed = kind == typeTimestamp || kind >= typeDate && kind <= typeDatetime
		return v, head + int(n), true
	}
	if len(b) < size {
		return v, 0, false
	}
	switch kind {
	case typeFloat:
		return Value{Floating: true, Real: float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))}, size, true
	case typeDouble:
		return Value{Floating: true, Real: math.Float64frombits(binary.LittleEndian.Uint64(b))}, size, true
	}
	v.Number = integer(b, size, unsigned)
	v.Unsigned = unsigned && v.Number < 0
	v.Whole = !v.Unsigned
	return v, size, true
}

func integer(b []byte, size int, unsigned bool) int64 {
	var n uint64
	for i := range size {
		n |= uint64(b[i]) << (8 * i)
	}
	if unsigned {
		return int64(n)
	}
	unused := 64 - 8*size
	return int64(n<<unused) >> unused
}
