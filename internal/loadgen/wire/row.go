package wire

import (
	"encoding/binary"
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
	// At is which row of the answer is wanted, from 0.
	At uint32
	// Plain says that the answer is COM_QUERY's, whose values are all text.
	Plain bool
	// Found says that the answer had the row.
	Found bool

	columns int // of the answer
	types   [mostTypes]byte
	seen    int // definitions seen
	column  int // the next to be read
	at      int
	length  int // 0 where the row was longer than what is kept
	bytes   [rowSize]byte
}

// Value is one column of a row.
type Value struct {
	// Text is the value of anything but an integer of the binary protocol; it
	// lies in the row.
	Text []byte
	// Number is that integer.
	Number int64
	// Whole says that Number holds the value, Null that there is none.
	Whole, Null bool
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
	r.Found, r.columns, r.seen, r.column, r.at, r.length = false, 0, 0, 0, 0, 0
}

// define takes a column's definition: of the fixed part at its end, 6 bytes from
// there, the type (protocol documentation, Column Definition 41).
func (r *Row) define(p []byte, length int) {
	if r.seen < mostTypes {
		r.types[r.seen] = typeUnknown
		if len(p) == length && length >= 6 && length <= rowSize {
			r.types[r.seen] = p[length-6]
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
		return r.text(rest)
	}
	if r.bytes[1+(i+2)/8]>>((i+2)%8)&1 == 1 {
		return Value{Null: true}, true
	}
	return r.binary(r.types[i], rest)
}

func (r *Row) text(rest []byte) (Value, bool) {
	n, size, ok := lengthEncoded(rest)
	if !ok || n > uint64(len(rest)-size) {
		return Value{}, false
	}
	r.at += size + int(n)
	return Value{Text: rest[size : size+int(n)]}, true
}

// Types of columns whose values are not length-encoded (include/field_types.h).
const (
	typeTiny     = 1
	typeShort    = 2
	typeFloat    = 4
	typeDouble   = 5
	typeLongLong = 8
	typeInt24    = 9
	typeYear     = 13
	typeUnknown  = 0xff
)

func (r *Row) binary(kind byte, rest []byte) (v Value, ok bool) {
	var size int
	switch kind {
	case typeTiny:
		size = 1
	case typeShort, typeYear:
		size = 2
	case TypeLong, typeInt24:
		size = 4
	case typeLongLong:
		size = 8
	case typeFloat, typeDouble, typeUnknown:
		return v, false // nothing that is taken from an answer has these
	default: // text, decimals, and times, whose length is one byte
		return r.text(rest)
	}
	if len(rest) < size {
		return v, false
	}
	r.at += size
	v.Whole = true
	switch size {
	case 1:
		v.Number = int64(int8(rest[0]))
	case 2:
		v.Number = int64(int16(binary.LittleEndian.Uint16(rest)))
	case 4:
		v.Number = int64(int32(binary.LittleEndian.Uint32(rest)))
	default:
		v.Number = int64(binary.LittleEndian.Uint64(rest))
	}
	return v, true
}
