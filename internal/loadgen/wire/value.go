package wire

import (
	"encoding/binary"
	"strconv"
)

// Numeric says what kind of number the column has: integers, or DECIMAL.
func (v Value) Numeric() (integer, decimal bool) {
	switch v.Type {
	case typeTiny, typeShort, TypeLong, TypeLongLong, typeInt24, typeYear:
		return true, false
	case 0, TypeDecimal: // 0 is DECIMAL before MySQL 5.0
		return false, true
	}
	return false, false
}

// AppendText appends the value as the text protocol has it: a value that is not NULL.
func (v Value) AppendText(buf []byte) []byte {
	switch {
	case v.Whole:
		return strconv.AppendInt(buf, v.Number, 10)
	case v.Unsigned:
		return strconv.AppendUint(buf, uint64(v.Number), 10)
	case v.Floating:
		return strconv.AppendFloat(buf, v.Real, 'g', -1, 64)
	case v.Packed && v.Type == typeTime:
		return appendClock(buf, v.Text)
	case v.Packed:
		return appendMoment(buf, v.Text)
	}
	return append(buf, v.Text...)
}

// appendMoment appends a date, or a date with a time: year, month and day, then hour,
// minute and second, then microseconds, of which the last are left out where they are 0
// (protocol documentation, Binary Protocol Value).
func appendMoment(buf, packed []byte) []byte {
	var p [11]byte
	n := copy(p[:], packed)
	buf = appendPadded(buf, int(binary.LittleEndian.Uint16(p[:])), 4)
	buf = appendPadded(append(buf, '-'), int(p[2]), 2)
	buf = appendPadded(append(buf, '-'), int(p[3]), 2)
	if n <= 4 {
		return buf
	}
	return appendTimeOfDay(append(buf, ' '), int(p[4]), p[5], p[6], binary.LittleEndian.Uint32(p[7:]))
}

// appendClock appends a time: its sign, days, hours, minutes and seconds, microseconds.
func appendClock(buf, packed []byte) []byte {
	var p [12]byte
	copy(p[:], packed)
	if p[0] == 1 {
		buf = append(buf, '-')
	}
	hours := 24*int(binary.LittleEndian.Uint32(p[1:])) + int(p[5])
	return appendTimeOfDay(buf, hours, p[6], p[7], binary.LittleEndian.Uint32(p[8:]))
}

func appendTimeOfDay(buf []byte, hours int, minutes, seconds byte, micros uint32) []byte {
	buf = appendPadded(buf, hours, 2)
	buf = appendPadded(append(buf, ':'), int(minutes), 2)
	buf = appendPadded(append(buf, ':'), int(seconds), 2)
	if micros > 0 {
		buf = appendPadded(append(buf, '.'), int(micros), 6)
	}
	return buf
}

func appendPadded(buf []byte, n, width int) []byte {
	for limit := 10; width > 1; width, limit = width-1, limit*10 {
		if n < limit {
			buf = append(buf, "00000"[:width-1]...)
			break
		}
	}
	return strconv.AppendInt(buf, int64(n), 10)
}
